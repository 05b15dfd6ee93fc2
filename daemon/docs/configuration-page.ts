// The reference of all options: those of the core and of the in-tree plugins.
import { documentConfiguration } from '../config/document.ts';
import { inTreeSections } from '../plugin-host/configured-plugins.ts';

export const configurationPage = (): string => documentConfiguration(inTreeSections());
