import { measureCompacting } from './compacting.ts';
import { measureImporting } from './importing.ts';
import { measureOpening, measureUntrusted } from './opening.ts';
import { measureRates } from './rates.ts';
import { measureReading } from './reading.ts';
import type { Figure, Setting } from './setting.ts';

const parts: Readonly<Record<string, (setting: Setting) => Promise<Figure[]>>> = {
  rates: measureRates,
  opening: measureOpening,
  untrusted: measureUntrusted,
  reading: measureReading,
  compacting: measureCompacting,
  importing: measureImporting,
};

const [part = '', folder = '', articles = '1000000'] = process.argv.slice(2);
const measure = parts[part];
if (measure === undefined) throw new RangeError(`no part ${part}`);
for (const figure of await measure({ folder, articles: Number(articles) })) {
  process.stdout.write(`${JSON.stringify(figure)}\n`);
}
