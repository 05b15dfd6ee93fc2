// Hook names are written with hyphens or underscores.

export const hyphenated = (name: string): string => name.replaceAll('_', '-');
