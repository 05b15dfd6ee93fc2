// Injects an NMI, the interrupt that makes a hanging system write its crash dump.
import { onInterface } from './on-interface.ts';

export const injectNmi = onInterface('management', 'injectNmi', 'inject_nmi', { lock: true });
