// Prints how many requests our plugin and sushy send to the same simulated BMC for each operation.
import { collectEndings } from '../fakes/endings.ts';
import { installSushyTools } from '../setup/sushy-tools.ts';
import { countOurs, countSushys, operations } from './redfish-operations.ts';

async function main(): Promise<number> {
  if (!installSushyTools()) return 1;
  const endings = collectEndings();
  try {
    for (const shape of ['plain', 'dell9', 'dell10', 'hpe'] as const) {
      const [ours, theirs] = [await countOurs(endings, shape), await countSushys(endings, shape)];
      console.log(`${shape.padEnd(40)} ours  at most  sushy`);
      for (const { name, limit } of operations)
        console.log(
          `  ${name.padEnd(40)} ${String(ours[name]).padStart(2)} ${String(limit).padStart(8)}  ${theirs[name]}`,
        );
    }
    return 0;
  } finally {
    await endings.end();
  }
}

process.exitCode = await main();
