// Why a new machine goes no further.

/** A machine does not go on before an operator has done something; the message says what. */
export class Stopped extends Error {}
