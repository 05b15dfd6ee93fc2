// The error for an invalid configuration. It lists all problems, so that they can be corrected in one go.

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  /** Each problem is a sentence that says where the problem is, and what is wrong or what is expected there. */
  constructor(problems: readonly string[]) {
    super(
      [
        'the configuration is invalid; correct these problems ("ironic-edge config document" describes all options):',
        ...problems,
      ].join('\n  '),
    );
    this.problems = problems;
  }
}
