// All services of the conductor: what each of its rooms needs, and what only the layers above it need. Only code that puts the
// daemon together, and the handlers of requests, take all of them; a function of a room takes the services of its room.
import type { ConfigDrives } from '../images/config-drive.ts';
import type { AuditFile } from '../lib/files/audit-file.ts';
import type { MemoryBudget } from '../lib/limits/memory-budget.ts';
import type { Links } from '../lib/network/links.ts';
import type { BmcConversations } from './bmcs/bmc-conversations.ts';
import type { LoopServices } from './loops/services.ts';

export interface Services extends LoopServices {
  readonly bmcs: BmcConversations;
  readonly configDrives: ConfigDrives;
  readonly memory: MemoryBudget;
  readonly audit: AuditFile;
  readonly links: Links;
}
