// The limits of the conductor that have no option: for what BMCs, agents and consoles send, and for what it says of them.

export const bmcEventLimits = {
  /** How many messages of a node's BMC are read before the machine's power state is read again; further ones are dropped. */
  messages: 20,
  /** How many events of one message are recorded; further ones are dropped. */
  eventsOfAMessage: 20,
} as const;

export const consoleLimits = {
  /** A client that does not read, or a program that takes no input, is given up when this much waits for it. */
  unreadBytes: 1_048_576,
  /** How much of what the program of a console says is kept for the error that names its end. */
  remarkBytes: 4096,
  /** How much of what a machine showed before is sent to a client that attaches with a screen. */
  repeatedBytes: 65_536,
  /** The longest pause before a console that was lost is connected again. */
  pauseMilliseconds: 60_000,
  /** How long a connection may take to be made. */
  connectMilliseconds: 60_000,
} as const;

export const findingLimits = {
  /** How many addresses are asked whether a BMC answers there, and how many of them begin in a second. */
  asked: { atOnce: 256, perSecond: 50 },
  /** How many addresses one scan asks: some 20 minutes of IPv4; nobody scans a whole IPv6 network. */
  scanned: { ipv4: 65_536, ipv6: 1024 },
  /** How often anybody may tell where a BMC is; more is not heard. */
  hints: { perSecond: 50, burst: 256 },
  /** How many hints are followed at a time. */
  followedHints: 1024,
  /** The shortest time between two hints for the same address that are followed. */
  hintPauseMilliseconds: 3_600_000,
  /** No service root that is known has a tenth of this. */
  rootBytes: 262_144,
  /** How much is kept of each text that a BMC says of itself. */
  characters: 255,
  /** How many hosts one search by SSDP believes to be BMCs. */
  ssdpAnswers: 1024,
} as const;

export const sensorLimits = {
  /** For each node; each becomes several series of metrics, and no real machine has more. */
  read: 1000,
  /** Of how many sensors of a node the readings of 24 hours are kept: some 200 kB. */
  kept: 40,
  /** The longest name of a sensor, together with its type, whose readings are kept. */
  characters: 200,
} as const;

export const timelineLimits = {
  /** For one interval, so that packets of unknown machines cannot fill the memory or the disk. */
  events: 5000,
  eventsOfAMachine: 100,
  /** How much of one event's text is kept. */
  characters: 500,
} as const;

export const workLimits = {
  /** How long the daemon waits for the end of one step of an agent: the longest, such as erasing large disks, take hours. */
  stepSeconds: 86_400,
  /** How long the agent of a kept ramdisk may take to answer before the machine is booted again. */
  keptAgentSeconds: 15,
  /** How long an agent that begins the instance's kernel may take to say that it cannot. */
  kexecRefusalSeconds: 5,
  /** How much is kept of the path of that kernel. */
  kernelPathCharacters: 200,
} as const;

/** How many nodes a sentence or a line of the log names; the rest is a number. */
export const namedNodes = { inLog: 20, inError: 10 } as const;
