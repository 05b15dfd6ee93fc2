// Compares names as people order them: `web-2` comes before `web-10`. Text is compared as String.localeCompare does.
export const { compare: naturalOrder } = new Intl.Collator(undefined, { numeric: true });
