// Vendor methods of every kind: some return their arguments, some return nothing, some fail.
import { defineVendor, fault, type HttpVerb } from '#plugin-api';
import { remember } from './memory.ts';

const every: readonly HttpVerb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const ableVendor = defineVendor({
  properties: {},
  validate() {},
  nodeMethods: {
    echo: {
      httpMethods: every,
      description: 'Answers what it is given.',
      runs: 'wait',
      call: async (_, given, verb) => ({ verb, given }),
    },
    peek: {
      httpMethods: ['GET'],
      description: 'Answers without a lock.',
      runs: 'wait',
      sharesNode: true,
      call: async () => 'seen',
    },
    silence: { httpMethods: ['GET'], description: 'Has no answer.', runs: 'wait', async call() {} },
    refuse: {
      httpMethods: ['POST'],
      description: 'Refuses.',
      runs: 'wait',
      call: () => Promise.reject(fault('InvalidState', { reason: 'not now' })),
    },
    burn: {
      httpMethods: ['POST'],
      description: 'Fails unexpectedly.',
      runs: 'wait',
      call: () => Promise.reject(new Error('smoke')),
    },
    keep: {
      httpMethods: ['POST'],
      description: 'Keeps what it is given.',
      runs: 'background',
      async call(task, given) {
        await remember(task, { kept: given });
      },
    },
    lose: {
      httpMethods: ['POST'],
      description: 'Fails in the background.',
      runs: 'background',
      sharesNode: true,
      call: () => Promise.reject(new Error('gone')),
    },
  },
  driverMethods: {
    repeat: {
      httpMethods: every,
      description: 'Answers what it is given.',
      runs: 'wait',
      call: async (_, given, verb) => ({ verb, given }),
    },
    sum: {
      httpMethods: ['GET', 'POST'],
      description: 'Adds a and b.',
      runs: 'wait',
      validate(_, { a, b }) {
        if (a === undefined || b === undefined) throw fault('MissingParameter', { name: 'a and b' });
      },
      call: async (_, { a, b }) => Number(a) + Number(b),
    },
    sweep: {
      httpMethods: ['POST'],
      description: 'Fails in the background.',
      runs: 'background',
      call: () => Promise.reject(new Error('dust')),
    },
  },
});
