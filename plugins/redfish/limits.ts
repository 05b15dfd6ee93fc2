// The limits for BMCs that have no option: what a BMC may send, and how long its work may take.

export const redfishLimits = {
  /** Large enough for registries and expanded collections, which have several MiB. */
  replyBytes: 16_777_216,
  /** How many pages of a collection are read; a collection with more pages is a mistake of the BMC. */
  pages: 50,
  /** How many ETags of a BMC are kept: it has more resources, but only a few are ever changed. */
  etags: 100,
  /** How much of a BMC's reason goes into an error. */
  reasonCharacters: 1000,
  /** How much of the text of one event is kept. */
  eventCharacters: 300,
  /** How many lines, and how much of each, name what a BMC does not show to an inspection. */
  noteLines: 5,
  noteLineCharacters: 300,
  /** The longest pause that a BMC may ask for with `Retry-After`; it may ask again. */
  waitSeconds: 60,
  /** The longest pause between two attempts to change the boot device during the power-on self test. */
  postPauseSeconds: 30,
  /** Until BIOS settings are in effect, the reboot included: some machines train their memory or boot twice. */
  biosSeconds: 1800,
  /** For all volumes of a step together. Controllers may take long to initialise a volume. */
  raidSeconds: 7200,
  /** For an erasure: drives that do not encrypt their content overwrite all of it, which takes hours. */
  erasureSeconds: 86_400,
} as const;
