import { Far } from '@endo/far';
import type { SetupHost } from '../../setup/controller.ts';

type Env = Readonly<Record<string, string>>;

/** Far objects are not hardened data: a map keeps what the names stand for. */
export const makeFakeHost = ({ canRemake = false } = {}) => {
  const names = new Map<string, unknown>();
  const profile = new Map<string, unknown>();
  const log: string[] = [];
  const made: { env: Env; specifier: string; powersName: string }[] = [];
  const key = (path: string | readonly string[]): string =>
    typeof path === 'string' ? path : path.join('/');
  let broken = false;
  /** Controllers that were made before do not come up; new ones do. */
  const stranded = new Set<unknown>();

  const guest = Far('Guest', {
    has: (name: string) => Promise.resolve(profile.has(name)),
    lookup: (name: string) => Promise.resolve(profile.get(name)),
    storeValue: (value: unknown, name: string) => {
      profile.set(name, value);
      return Promise.resolve();
    },
  });

  const envs = new Map<unknown, Env>();
  const makeController = (env: Env) => {
    const controller: object = makeControllerFar(env, () =>
      stranded.has(controller),
    );
    envs.set(controller, env);
    return controller;
  };
  const makeControllerFar = (env: Env, isStranded: () => boolean) =>
    Far('Controller', {
      help: () =>
        broken || isStranded()
          ? Promise.reject(Error('gone'))
          : Promise.resolve(''),
      whenReady: () =>
        broken ? Promise.reject(Error('gone')) : Promise.resolve(),
      runsWith: (other: Env) => {
        const plain = Object.entries(env).filter(
          ([name]) => name !== 'HOB_PROVISION',
        );
        const same = JSON.stringify(plain.toSorted());
        return Promise.resolve(
          same === JSON.stringify(Object.entries(other).toSorted()),
        );
      },
    });

  const remaking = {
    remakeUnconfined: (
      from: string,
      specifier: string,
      {
        resultName,
        env,
        keep,
      }: { resultName: string; env: Env; keep: readonly string[] },
    ) => {
      const old = envs.get(names.get(from));
      const kept: Record<string, string> = {};
      for (const name of keep) {
        const value = old?.[name];
        if (value === undefined)
          return Promise.reject(Error(`no "${name}" that could be kept`));
        kept[name] = value;
      }
      made.push({ env: { ...env, ...kept }, specifier, powersName: from });
      log.push(`remake ${from} as ${resultName}`);
      const controller = makeController({ ...env, ...kept });
      names.set(resultName, controller);
      return Promise.resolve(controller);
    },
  };

  const host = Far('Host', {
    ...(canRemake ? remaking : {}),
    list: () =>
      Promise.resolve(
        harden([...names.keys()].filter((name) => !name.includes('/'))),
      ),
    has: (...path: string[]) => Promise.resolve(names.has(key(path))),
    lookup: (path: string | readonly string[]) =>
      Promise.resolve(names.get(key(path))),
    remove: (...path: string[]) => {
      names.delete(key(path));
      return Promise.resolve();
    },
    copy: (from: readonly string[], to: readonly string[]) => {
      names.set(key(to), names.get(key(from)));
      return Promise.resolve();
    },
    cancel: (name: string) => {
      log.push(`cancel ${name}`);
      return Promise.resolve();
    },
    provideGuest: (name: string, { agentName }: { agentName: string }) => {
      names.set(name, 'handle');
      names.set(agentName, guest);
      return Promise.resolve(guest);
    },
    makeUnconfined: (
      _worker: string,
      specifier: string,
      options: { powersName: string; resultName: string; env: Env },
    ) => {
      const { powersName, resultName, env } = options;
      made.push({ env, specifier, powersName });
      log.push(`make ${resultName}`);
      const controller = makeController(env);
      names.set(resultName, controller);
      return Promise.resolve(controller);
    },
  });

  return {
    host: host as unknown as SetupHost,
    names,
    profile,
    log,
    made,
    strandControllers: () => {
      for (const controller of envs.keys()) stranded.add(controller);
    },
    breakControllers: () => {
      broken = true;
    },
    mendControllers: () => {
      broken = false;
    },
  };
};
