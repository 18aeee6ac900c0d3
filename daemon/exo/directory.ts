import { defineExoClass } from '@endo/exo';
import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { DirectoryPowers, OfFormula } from './agent-powers.ts';
import { DirectoryI } from './guards.ts';
import { directoryHelp, helpText } from './help.ts';
import { makeFarIterator } from './iterators.ts';

type Path = readonly string[];

/** The methods that directories, guests and hosts share. Guards: `directoryGuards`. */
export const makeDirectoryMethods = ({
  directory,
  following,
}: DirectoryPowers) => ({
  has(this: OfFormula, ...path: string[]) {
    return directory.has(this.state.id, path);
  },
  identify(this: OfFormula, ...path: string[]) {
    return directory.identify(this.state.id, path);
  },
  reverseIdentify(this: OfFormula, id: FormulaId) {
    return directory.reverseIdentify(this.state.id, id);
  },
  locate(this: OfFormula, ...path: string[]) {
    return directory.locate(this.state.id, path);
  },
  reverseLocate(this: OfFormula, locator: string) {
    return directory.reverseLocate(this.state.id, locator);
  },
  list(this: OfFormula, ...path: string[]) {
    return directory.list(this.state.id, path);
  },
  listIdentifiers(this: OfFormula, ...path: string[]) {
    return directory.listIdentifiers(this.state.id, path);
  },
  async lookup(this: OfFormula, nameOrPath: NameOrPath) {
    return directory.lookup(this.state.id, nameOrPath);
  },
  async lookupById(this: OfFormula, id: FormulaId) {
    return directory.lookupById(id);
  },
  reverseLookup(this: OfFormula, value: unknown) {
    return directory.reverseLookup(this.state.id, value);
  },
  write(this: OfFormula, nameOrPath: NameOrPath, id: FormulaId) {
    directory.write(this.state.id, nameOrPath, id);
  },
  remove(this: OfFormula, ...path: string[]) {
    directory.remove(this.state.id, path);
  },
  move(this: OfFormula, from: NameOrPath, to: NameOrPath) {
    directory.move(this.state.id, from, to);
  },
  copy(this: OfFormula, from: NameOrPath, to: NameOrPath) {
    directory.copy(this.state.id, from, to);
  },
  async makeDirectory(this: OfFormula, nameOrPath: NameOrPath) {
    return directory.makeDirectory(this.state.id, nameOrPath);
  },
  followNameChanges(this: OfFormula, ...path: Path) {
    return makeFarIterator(following.followNames(this.state.id, path));
  },
  followLocatorNameChanges(this: OfFormula, locator: string) {
    return makeFarIterator(following.followLocator(this.state.id, locator));
  },
});
harden(makeDirectoryMethods);

export const defineDirectory = (powers: DirectoryPowers) =>
  defineExoClass('Directory', DirectoryI, (id: FormulaId) => ({ id }), {
    ...makeDirectoryMethods(powers),
    help(method?: string) {
      return helpText('A directory of names.', directoryHelp, method);
    },
  });
harden(defineDirectory);
