import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundledProgram, type Program } from '../support/program.ts';
import { seededRandom } from '../../../support/random.ts';
import { roads } from './roads.ts';
import { judgeRoad } from './two-writers.ts';

let program: Program;
beforeAll(async () => {
  program = await bundledProgram(join(import.meta.dirname, 'writer.ts'));
});
afterAll(() => program.remove());

for (const road of roads) {
  const isPossible = road.isPossible?.() ?? true;
  test.skipIf(!isPossible)(
    `a second writer by ${road.name} loses nothing of the first`,
    async () => {
      const judged = await judgeRoad(road, program.path, { trials: 3, random: seededRandom(1) });
      expect(judged.lost).toEqual([]);
      expect(judged.untrue).toEqual([]);
      expect(judged.acknowledged + judged.refusals).toBeGreaterThan(0);
    },
  );
}
