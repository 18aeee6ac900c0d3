/** Gives a slot back. Idempotent. */
export type Release = () => void;

export type Scheduler = {
  /** Resolves when this sender's turn may run. Rejects once stopped. */
  readonly enter: (sender: string) => Promise<Release>;
  /** Rejects all that wait, and all that come. */
  readonly stop: (reason: Error) => void;
};

type Waiter = {
  readonly admit: (release: Release) => void;
  readonly refuse: (reason: Error) => void;
};

/**
 * Slots for turns: the HOST's mail first, then round robin over senders, so
 * that nobody waits behind somebody's flood. With more than one slot, one is
 * kept for the HOST: strangers with slow questions cannot shut the HOST out.
 */
export const makeScheduler = ({
  slots,
  host,
}: {
  readonly slots: number;
  readonly host: string;
}): Scheduler => {
  // Insertion order of the map is the round robin: who was served goes last.
  const queues = new Map<string, Waiter[]>();
  const forStrangers = slots > 1 ? slots - 1 : 1;
  let running = 0;
  let strangersRunning = 0;
  let stopped: Error | undefined;

  const nextSender = (): string | undefined => {
    if (running >= slots) return undefined;
    if (queues.has(host)) return host;
    if (strangersRunning >= forStrangers) return undefined;
    return queues.keys().next().value;
  };

  const takeWaiter = (sender: string): Waiter | undefined => {
    const queue = queues.get(sender);
    const waiter = queue?.shift();
    queues.delete(sender);
    if (queue !== undefined && queue.length > 0) queues.set(sender, queue);
    return waiter;
  };

  const admitNext = (): void => {
    for (
      let sender = nextSender();
      sender !== undefined;
      sender = nextSender()
    ) {
      const waiter = takeWaiter(sender);
      const stranger = sender === host ? 0 : 1;
      running += 1;
      strangersRunning += stranger;
      let released = false;
      waiter?.admit(() => {
        if (released) return;
        released = true;
        running -= 1;
        strangersRunning -= stranger;
        admitNext();
      });
    }
  };

  return harden({
    enter: (sender: string) =>
      new Promise<Release>((admit, refuse) => {
        if (stopped !== undefined) {
          refuse(stopped);
          return;
        }
        const queue = queues.get(sender);
        if (queue === undefined) queues.set(sender, [{ admit, refuse }]);
        else queue.push({ admit, refuse });
        admitNext();
      }),
    stop: (reason: Error) => {
      stopped = reason;
      const waiters = [...queues.values()].flat();
      queues.clear();
      for (const waiter of waiters) waiter.refuse(reason);
    },
  });
};
harden(makeScheduler);
