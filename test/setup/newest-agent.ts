// The newest ironic-python-agent from PyPI, which the tests run on the host of the daemon.
import { dirname } from 'node:path';
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('newest-agent', ['ironic-python-agent==13.0.0']);

export const { install: installNewestAgent, skipWithout: skipWithoutNewestAgent } = environment;

/** The folder with the agent's Python environment. */
export const newestAgentFolder = dirname(dirname(environment.program('python')));
