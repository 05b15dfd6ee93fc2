// Situations of operation that the daemon was designed for, each with the tests and programs that show what the daemon does then.

/**
 * A file with the title of a test in it, or with the text by which another program checks the situation: `npm run systemd`
 * (test/systemd), `npm run life` (test/life) or a benchmark (test/bench).
 */
export type Shown = readonly [file: string, text: string];

export type Scenario = readonly [given: string, first: Shown, ...more: Shown[]];
