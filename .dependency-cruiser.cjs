// The folder layout is the architecture: arrows point only downwards.
const only = (name, from, allowed, comment, except = []) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, ...(except.length ? { pathNot: except } : {}) },
  to: { pathNot: allowed },
});

const ENDO = '^node_modules/(@endo/|ses/)';

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'No circles anywhere.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      comment: 'Every import is there.',
      from: {},
      to: { couldNotResolve: true },
    },
    only(
      'endo-and-model-are-the-floor',
      '^src/(endo|model)/',
      ['^src/(endo|model)/', ENDO],
      'src/endo and src/model stand on nothing of the agent',
    ),
    only(
      'tool-transcript-proposal',
      '^src/(tool|transcript|proposal)/',
      [
        '^src/(endo|model|tool|transcript|proposal)/',
        '^review/',
        '^node_modules/jsonrepair/',
        ENDO,
      ],
      'src/tool, src/transcript and src/proposal stand on src/endo and src/model',
    ),
    only(
      'guest-tools',
      '^src/guest-tools/',
      [
        '^src/(endo|model|tool|transcript|proposal|guest-tools)/',
        '^review/',
        ENDO,
      ],
      'guest tools stand on tools',
    ),
    only(
      'agent',
      '^src/agent/',
      [
        '^src/(endo|model|tool|transcript|proposal|guest-tools|agent)/',
        '^src/config\\.ts$',
        '^review/',
        ENDO,
      ],
      'the agent stands on all of these',
    ),
    only(
      'config',
      '^src/(config|variables)\\.ts$',
      ['^src/model/', '^src/variables\\.ts$', ENDO],
      'configuration stands on the model port',
    ),
    only(
      'caplet',
      '^src/caplet\\.ts$',
      ['^src/', '^providers/', ENDO],
      'the caplet joins src and providers',
    ),
    only(
      'providers',
      '^providers/',
      [
        '^providers/',
        '^src/model/',
        '^node_modules/(openai|@anthropic-ai/sdk|ollama)/',
        ENDO,
      ],
      'providers import only the model port and their SDK',
    ),
    only(
      'tools',
      '^tools/',
      ['^tools/', '^src/tool/', '^node:', ENDO],
      'tool caplets import only the tool kit',
    ),
    only(
      'review',
      '^review/',
      ['^review/', '^node_modules/acorn'],
      'review imports only its parser',
    ),
    only(
      'setup',
      '^setup/',
      ['^setup/', ENDO],
      'setup names caplets by URL and imports none',
    ),
    {
      name: 'daemon-apart',
      severity: 'error',
      comment: 'daemon/ and the agent meet over CapTP only',
      from: { path: '^daemon/' },
      to: { path: '^(src|providers|tools|setup|cli|chat|org|review)/' },
    },
    {
      name: 'clients-of-a-socket',
      severity: 'error',
      comment:
        'cli/ and chat/ share with the daemon its connection module, and review/',
      from: { path: '^(cli|chat)/' },
      to: { path: '^(src|providers|tools|setup|org|daemon/(?!connection/))' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      comment: 'The product does not know its tests',
      from: { pathNot: '^(test|bench|vitest\\.config)' },
      to: { path: '^(test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
