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
}: {
  readonly guest: Guest;
  readonly post: Post;
  readonly config: Config;
  readonly model: Pick<ChatModel, 'provider' | 'model'>;
}): Promise<void> => {
  const { provision, name } = config;
  if (provision === undefined) return;
  const announced = (await guest.has(ANNOUNCED))
    ? await guest.lookup(ANNOUNCED)
    : undefined;
  if (announced === provision) return;
  const text = `${name} ready: ${model.provider}, ${model.model}`;
  await post.send(['HOST'], textParcel(text), undefined);
  await guest.storeValue(provision, ANNOUNCED);
};
harden(announce);
