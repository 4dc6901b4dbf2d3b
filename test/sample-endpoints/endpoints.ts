import type { Contract } from '../../shared/http/contract.ts';
import { addForm, addSamples, deleteSample, getSample, putSample } from './samples/contracts.ts';

/** The endpoints that only the tests have. */
export const sampleEndpoints: readonly Contract[] = [getSample, putSample, addSamples, addForm, deleteSample];

/** What a document says of their folder. */
export const sampleTags = {
  samples: {
    title: 'Samples',
    description: 'An endpoint of each kind that the service has, and of those that it lacks.',
  },
};
