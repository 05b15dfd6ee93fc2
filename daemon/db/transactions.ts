// Transactions across tables: one that is durable when it returns, and one that shares its write to the disk with others.
import type { Connection } from './open.ts';

export interface Transactions {
  /**
   * Runs `work` in a transaction, which is rolled back if `work` throws. The changes are durable when this returns; inside
   * another transaction, when the outer transaction returns.
   */
  transaction<T>(work: () => T): T;
  /**
   * Like `transaction`, at the end of this turn of the event loop, in one transaction with all other work that was asked for in
   * this turn: what is sent at once costs one write to the disk. Resolves when the changes are durable. If `work` throws, only its
   * changes are rolled back, and it rejects; if nothing can be written, all work of the turn rejects.
   */
  together<T>(work: () => T): Promise<T>;
  /**
   * Runs `action` once the current transaction is durable; outside a transaction, at once. Does not run it if the transaction is
   * rolled back.
   */
  afterCommit(action: () => void): void;
}

interface Shared {
  /** Runs the work. Returns a function that settles its promise. */
  readonly run: () => () => void;
  readonly reject: (reason: unknown) => void;
}

export function transactionsOf(connection: Connection): Transactions {
  const actions: (() => void)[] = [];
  const transaction: Transactions['transaction'] = (work) => {
    const outermost = !connection.inTransaction;
    const before = actions.length;
    try {
      const result = connection.transaction(work).immediate();
      if (outermost) for (const action of actions.splice(0)) action();
      return result;
    } catch (error) {
      actions.splice(before);
      throw error;
    }
  };

  let waiting: Shared[] = [];
  const runWaiting = () => {
    const turn = waiting;
    waiting = [];
    try {
      const ends = transaction(() => turn.map(({ run }) => run()));
      for (const end of ends) end();
    } catch (error) {
      for (const { reject } of turn) reject(error);
    }
  };

  return {
    transaction,
    together: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(runWaiting);
        const run = () => {
          try {
            const result = transaction(work);
            return () => resolve(result);
          } catch (error) {
            // SQLite itself has rolled back all work of the turn, such as when the disk is full
            if (!connection.inTransaction) throw error;
            return () => reject(error);
          }
        };
        waiting.push({ run, reject });
      }),
    afterCommit(action) {
      if (connection.inTransaction) actions.push(action);
      else action();
    },
  };
}
