import { clearLine, createInterface, cursorTo } from 'node:readline';
import type { Output, LineSource } from './powers.ts';

type LineSourceOptions = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** A terminal in raw mode gives Ctrl-C as a key, not as a signal. */
  readonly interrupt: () => void;
  readonly prompt?: string | undefined;
};

/** A queue of lines, read one at a time. */
const makeQueue = () => {
  const lines: string[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const changed = (): void => {
    wake?.();
    wake = undefined;
  };
  return harden({
    put: (line: string): void => {
      lines.push(line);
      changed();
    },
    end: (): void => {
      ended = true;
      changed();
    },
    take: async (): Promise<string | undefined> => {
      while (lines.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return lines.shift();
    },
  });
};

/** Lines of a pipe or a file. */
const makePipedLines = ({ stdin }: LineSourceOptions): LineSource => {
  const queue = makeQueue();
  const reader = createInterface({ input: stdin, crlfDelay: Infinity });
  reader.on('line', queue.put);
  reader.on('close', queue.end);
  return harden({
    isTTY: false,
    next: queue.take,
    print: (output: Output, text: string) => output.write(text),
    status: () => undefined,
    close: () => {
      reader.close();
      // An open pipe must not keep a program that has ended.
      stdin.destroy();
    },
  });
};

/** Lines of a person, with a prompt that stays below what is printed. */
const makeTerminalLines = ({
  stdin,
  stdout,
  interrupt,
  prompt = 'you> ',
}: LineSourceOptions): LineSource => {
  const queue = makeQueue();
  const reader = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    prompt,
  });
  let asking = false;
  let remark: string | undefined;
  const clear = (): void => {
    cursorTo(stdout, 0);
    clearLine(stdout, 0);
  };
  const restore = (): void => {
    if (asking) reader.prompt(true);
    else if (remark !== undefined) stdout.write(remark);
  };
  reader.on('line', (line) => {
    asking = false;
    queue.put(line);
  });
  reader.on('close', queue.end);
  // A window that was closed: the terminal can no longer be set.
  reader.on('error', queue.end);
  reader.on('SIGINT', interrupt);
  return harden({
    isTTY: true,
    next: async () => {
      asking = true;
      // What was typed while a turn ran stays, and so does the cursor in it.
      reader.prompt(true);
      const line = await queue.take();
      asking = false;
      return line;
    },
    print: (output: Output, text: string) => {
      clear();
      output.write(text);
      restore();
    },
    status: (text: string | undefined) => {
      clear();
      remark = text;
      // A line can be typed while a turn runs: then the prompt says so.
      reader.setPrompt(text === undefined ? prompt : `${text}  ${prompt}`);
      restore();
    },
    close: () => {
      clear();
      reader.close();
    },
  });
};

/** Standard input as lines: of a person at a terminal, or of a pipe. */
export const openLines = (options: LineSourceOptions): LineSource =>
  options.stdin.isTTY && options.stdout.isTTY
    ? makeTerminalLines(options)
    : makePipedLines(options);
harden(openLines);
