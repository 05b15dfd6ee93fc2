// Situations of operation that the daemon was designed for, each with the tests and programs that show what the daemon does then.

/**
 * Either a file `*.test.ts` and the title of a test in it, or another file and a piece of its text that belongs to the check. The
 * other files are parts of `npm run systemd` (test/systemd), of `npm run life` (test/life) and of the benchmarks (test/bench).
 */
export type Shown = readonly [file: string, text: string];

export type Scenario = readonly [given: string, first: Shown, ...more: Shown[]];
