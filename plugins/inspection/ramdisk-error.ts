// The `ramdisk-error` hook: fails the inspection with the error that the ramdisk reports.
import { defineHook, InspectionError } from '#plugin-api';
import { shorten } from './shown.ts';

export const ramdiskError = defineHook({
  preprocess({ pluginData }) {
    const { error } = pluginData;
    if (!error) return;
    const text = typeof error === 'string' ? error : JSON.stringify(error);
    throw new InspectionError(`Ramdisk reported error: ${shorten(text, 3000)}`);
  },
});
