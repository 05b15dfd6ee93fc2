// The roles of users. Each role includes all rights of the roles before it.

export const roles = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
