import type { Config } from '../config.ts';
import type { Guest } from '../endo/guest.ts';
import type { ChatModel } from '../model/chat.ts';
import { type Post, textParcel } from './post.ts';

const ANNOUNCED = harden(['hob-announced']);

/**
 * Tell the HOST that the agent is ready: when it was provisioned or
 * reconfigured, and not at every restart.
 */
export const announce = async ({
  guest,
  post,
  config,
  model,
  unknown,
}: {
  readonly guest: Guest;
  readonly post: Post;
  readonly config: Config;
  readonly model: Pick<ChatModel, 'provider' | 'model'>;
  /** Names in `LAL_OPEN` that name nobody here. */
  readonly unknown: readonly string[];
}): Promise<void> => {
  const { provision, name } = config;
  if (provision === undefined) return;
  const announced = (await guest.has(ANNOUNCED))
    ? await guest.lookup(ANNOUNCED)
    : undefined;
  if (announced === provision) return;
  const ready = `${name} ready: ${model.provider}, ${model.model}`;
  const warning =
    unknown.length === 0
      ? ''
      : ` (LAL_OPEN names ${unknown.join(', ')}: I have nobody of that name, and open to nobody by it)`;
  await post.send(['HOST'], textParcel(`${ready}${warning}`), undefined);
  await guest.storeValue(provision, ANNOUNCED);
};
harden(announce);
