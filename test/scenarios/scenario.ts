// Situations of operation that the daemon was designed for, each with the tests and programs that show what the daemon does then.

/**
 * A test file and the title of a test in it; or a file of another program and a piece of its source that belongs to the check of
 * the situation. The other programs are `npm run systemd` (test/systemd), `npm run life` (test/life) and benchmarks (test/bench).
 */
export type Shown = readonly [file: string, text: string];

export type Scenario = readonly [given: string, first: Shown, ...more: Shown[]];
