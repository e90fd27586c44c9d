/** The middle of a list of numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Prints rows of one shape under a heading, columns aligned. */
export function table(heading, rows) {
  const names = Object.keys(rows[0]);
  const widths = names.map((name) =>
    Math.max(name.length, ...rows.map((row) => String(row[name]).length)),
  );
  const line = (cells) =>
    cells
      .map((cell, i) => String(cell).padEnd(widths[i]))
      .join('  ')
      .trimEnd();
  console.log(`\n${heading}\n`);
  console.log(line(names));
  for (const row of rows) console.log(line(names.map((name) => row[name])));
}
