import endo from '@endo/eslint-plugin';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'dist',
      'coverage',
      '*.config.js',
      '*.cjs',
      'test/**/*.js',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { '@endo': endo },
    rules: {
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      // A bigint or a number in a sentence is as legible as a string.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // An arrow that passes on a void result is how forwarding is written.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true },
      ],
      'no-console': 'error',
      'no-restricted-exports': [
        'error',
        { restrictDefaultExports: { direct: true, named: true } },
      ],
      eqeqeq: 'error',
    },
  },
  {
    // What an agent, a provider or a daemon exports is shared: it is hardened.
    files: ['src/**', 'providers/**', 'daemon/**', 'setup/**'],
    rules: { '@endo/harden-exports': 'error' },
  },
  {
    files: ['src/**', 'providers/**'],
    rules: {
      // Ambient authority enters at composition roots and is handed down.
      'no-restricted-globals': [
        'error',
        'process',
        'console',
        'fetch',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'crypto',
        'performance',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
    },
  },
  {
    // The composition root of the agent.
    files: ['src/caplet.ts'],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-console': 'off',
    },
  },
  {
    // The one place of the tests that stands between them and the console.
    files: ['test/support/lockdown.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Reporters and configurations are imported by their tools as defaults.
    files: ['*.config.ts', 'test/support/count-reporter.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
