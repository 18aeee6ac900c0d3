import { ModelError } from './model-error.ts';

/** What a call rejects with when its own signal was aborted. */
export const cancelledError = (): ModelError =>
  new ModelError('The call to the model was cancelled', {
    kind: 'cancelled',
    remedy: 'Nothing is wrong; ask again if you still want an answer.',
  });
harden(cancelledError);
