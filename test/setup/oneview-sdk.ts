// HPE's own Python SDK for OneView.
import { pythonEnvironment } from './python-environment.ts';

const environment = pythonEnvironment('oneview-sdk', ['hpeOneView==11.4.0']);

export const { install: installOneviewSdk, skipWithout: skipWithoutOneviewSdk } = environment;

/** The Python interpreter with the module. */
export const sdkPython = environment.program('python');
