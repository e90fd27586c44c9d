/** The shapes an answer can be written in. */
export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'ids', 'md'] as const;

/** Reports of tests, which `blogctl check` alone has. */
export const reportFormats = ['tap', 'junit'] as const;

export type ReportFormat = (typeof reportFormats)[number];

export type Format = (typeof formats)[number] | ReportFormat;

export function isReport(format: Format | undefined): format is ReportFormat {
  return reportFormats.some((each) => each === format);
}

/** What was asked for; else a table for a person and tab-separated lines for a pipe. */
export function chooseFormat(
  asked: { readonly format?: Format; readonly json?: boolean },
  isScreen: boolean,
): Format {
  return (asked.json === true ? 'json' : asked.format) ?? (isScreen ? 'table' : 'tsv');
}

/** Errors are one JSON line where the answer would have been JSON. */
export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}
