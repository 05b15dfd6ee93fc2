// The roles of users. Each role includes all rights of the roles before it.

export const roles = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export const includesRole = (role: Role, needed: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed);
