// Where agent images are unless another directory is named: commands make them, and the daemon reads them, there.
import path from 'node:path';

export const agentImagesIn = (stateDirectory: string): string => path.join(stateDirectory, 'agent-images');
