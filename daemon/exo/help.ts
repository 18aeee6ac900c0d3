/** Texts of `help`, ours. One line a method: what it takes, gives and refuses. */
type Texts = Readonly<Record<string, string>>;

export const directoryHelp: Texts = {
  has: 'has(...path): whether the path names a value.',
  identify: 'identify(...path): the formula id of the value, or undefined.',
  reverseIdentify:
    'reverseIdentify(id): the names in here of the value with that id.',
  locate: 'locate(...path): the locator (endo://…) of the value, or undefined.',
  reverseLocate:
    'reverseLocate(locator): the names in here of the value with that locator.',
  list: 'list(...path): the names in here, or in the directory the path leads to.',
  listIdentifiers:
    'listIdentifiers(...path): the formula ids of the values named in here, each once.',
  lookup:
    'lookup(nameOrPath): the value. Waits when it is a request without an answer.',
  lookupById: 'lookupById(id): the value with that formula id.',
  reverseLookup:
    'reverseLookup(value): the names in here of that object; none for data.',
  write:
    'write(nameOrPath, id): names the value with that id, in the place of what had the name.',
  remove:
    'remove(...path): takes the name away. A value without any name is deleted.',
  move: 'move(from, to): gives the value another name; from and to are names or paths.',
  copy: 'copy(from, to): gives the value one more name.',
  makeDirectory:
    'makeDirectory(nameOrPath): makes an empty directory; an error when the name is taken.',
  followNameChanges:
    'followNameChanges(...path): an iterator of { add, value: { number, node } } for every name, then of changes: the same, or { remove }.',
  followLocatorNameChanges:
    'followLocatorNameChanges(locator): an iterator of { add: locator, names } and { remove: locator, names }.',
  help: 'help(method?): these texts.',
};
harden(directoryHelp);

export const mailHelp: Texts = {
  guarantees:
    "guarantees(): { mail: 'exactly-once', grants: 'at-most-once' }. A message is in both mailboxes or in neither, once, when the call that sends it ends; a grant runs code once at most, and nothing else does but the lookup of a result that holds objects and is no longer alive. Not a method of Endo.",
  handle:
    'handle(): the object that stands for this agent as sender and recipient.',
  listMessages:
    'listMessages(): all messages that were not dismissed, oldest first, sent ones included.',
  followMessages:
    'followMessages(after?): an iterator of the same, and then of what comes; only of what is after that number, when one is given.',
  send: 'send(to, strings, edgeNames, petNames): sends text with values: strings[0] @edgeNames[0] strings[1] …; petNames[i] names the value of edgeNames[i]. All strings together have up to 1,000,000 characters.',
  reply:
    'reply(number, strings, edgeNames, petNames): the same, to the other party of a message, in its thread.',
  request:
    'request(to, description, responseName?): asks for a value and waits for it; the answer gets the name, also after a restart.',
  resolve: 'resolve(number, nameOrPath): answers a request with a value.',
  reject:
    'reject(number, reason?): refuses a request or a proposal of code; the one who asked is told the reason.',
  adopt:
    'adopt(number, edgeName, nameOrPath): names a value that came with a message or a proposal.',
  dismiss:
    'dismiss(number): takes a message out of the mailbox. It refuses a request or proposal that waits for the answer of this agent.',
  dismissAll: 'dismissAll(): dismisses every message in the mailbox.',
  deliver:
    'deliver(message): refused; mail is delivered by send, reply and request.',
  storeValue:
    'storeValue(value, nameOrPath): keeps data, or an object known here, under a name.',
};
harden(mailHelp);

/** Said of methods that Endo's agents have and that answer with an error here. */
const NOT_YET = 'Not built yet in this version: it is refused.';
const ELSEWHERE = "Out of scope: it is refused. Endo's full daemon has it.";

const proposalHelp: Texts = {
  requestEvaluation: `requestEvaluation(...): asks for code to be run. ${NOT_YET}`,
  define: `define(...): proposes code whose values somebody else chooses. ${NOT_YET}`,
  form: `form(...): asks somebody to fill in fields. ${NOT_YET}`,
};

export const guestHelp: Texts = {
  ...directoryHelp,
  ...mailHelp,
  ...proposalHelp,
  evaluate:
    'evaluate(workerName, source, codeNames, petNames, resultName?): proposes code to the HOST, with the values that petNames stand for now bound to codeNames. Waits for the result, which gets the name resultName when the HOST grants it; an error says why not.',
};
harden(guestHelp);

export const hostHelp: Texts = {
  ...directoryHelp,
  ...mailHelp,
  ...proposalHelp,
  evaluate:
    'evaluate(workerName, source, codeNames, petNames, resultName?): runs code in a confined worker, with the values of petNames bound to codeNames.',
  provideGuest:
    'provideGuest(handleName?, { agentName?, introducedNames? }): the guest of that name, made when there is none; introducedNames are host name → guest name.',
  provideHost:
    'provideHost(handleName?, { agentName?, introducedNames? }): the host of that name, made when there is none: with a worker, pins and names of its own, whose HOST is this one.',
  provideWorker:
    'provideWorker(name): a worker of its own, whose processes start when they are needed.',
  makeUnconfined:
    'makeUnconfined(workerName, specifier, { powersName?, resultName?, env? }): makes the caplet of a file: URL with the powers of an agent. Without a worker name it runs in the worker of that agent.',
  remakeUnconfined:
    'remakeUnconfined(nameOrPath, specifier, { resultName?, env?, keep? }): makes another caplet, of another file, with the worker and the powers of one that is there, which goes on. keep lists variables whose values it takes from that one, unseen; env is all of the others. Not a method of Endo.',
  storeBlob:
    'storeBlob(reader, nameOrPath?): keeps bytes, up to 32 MiB. The reader is an iterator of strings in base64. Gives the blob: sha512(), streamBase64(), text(), json().',
  cancel:
    'cancel(nameOrPath, reason?): ends a caplet, an evaluated value or a worker. The next lookup makes it anew.',
  grantEvaluate:
    'grantEvaluate(number): runs the code that a guest proposed, at most once, in a confined worker of that guest, and gives the result to both. A result that holds objects is kept as the code that makes them: looked up after its process has ended, it runs again.',
  counterEvaluate:
    'counterEvaluate(number, source, codeNames, petNames, workerName?, resultName?): answers proposed code with other code. The first proposal is refused; the guest may propose the other code.',
  approveEvaluation: `approveEvaluation(...): lets proposed code run. ${NOT_YET}`,
  endow: `endow(...): gives a definition the values it asks for. ${NOT_YET}`,
  respondForm: `respondForm(...): fills in a form. ${NOT_YET}`,
  greeter: `greeter(): meets other nodes. ${ELSEWHERE}`,
  gateway: `gateway(): lets other nodes in. ${ELSEWHERE}`,
  getPeerInfo: `getPeerInfo(): where other nodes reach this one. ${ELSEWHERE}`,
  addPeerInfo: `addPeerInfo(...): where another node is reached. ${ELSEWHERE}`,
  invite: `invite(...): invites somebody on another node. ${ELSEWHERE}`,
  accept: `accept(...): accepts an invitation of another node. ${ELSEWHERE}`,
  makeBundle: `makeBundle(...): makes a caplet of a bundle. ${ELSEWHERE}`,
};
harden(hostHelp);

export const endoHelp: Texts = {
  ping: 'ping(): { pong, version, source, pid, node, clients }.',
  terminate: 'terminate(): stops the daemon.',
  host: 'host(): the host agent, who may do everything.',
  leastAuthority: 'leastAuthority(): an object that may do nothing.',
  nodeId: 'nodeId(): the id of this node, the second half of every formula id.',
  greeter: `greeter(): meets other nodes. ${ELSEWHERE}`,
  gateway: `gateway(): lets other nodes in. ${ELSEWHERE}`,
  help: 'help(method?): these texts.',
};
harden(endoHelp);

/** The text of one method, or of all after the title. */
export const helpText = (
  title: string,
  texts: Texts,
  method?: string,
): string => {
  if (method === undefined)
    return `${title}\n\n${Object.values(texts).join('\n')}`;
  const text = Object.hasOwn(texts, method) ? texts[method] : undefined;
  return (
    text ??
    `There is no help on ${JSON.stringify(method)}. The methods are: ${Object.keys(texts).join(', ')}`
  );
};
harden(helpText);
