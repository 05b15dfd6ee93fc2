// Why the configuration cannot be used: every problem at once, so that one round of corrections is enough.

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  /** Each problem is a sentence that names where, what and what is allowed. */
  constructor(problems: readonly string[]) {
    super(
      [
        'the configuration cannot be used; correct this, or look options up with "ironic-edge config document":',
        ...problems,
      ].join('\n  '),
    );
    this.problems = problems;
  }
}
