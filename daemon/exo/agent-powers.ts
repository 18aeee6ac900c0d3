import type { Caplets } from '../agent/caplets.ts';
import type { Evaluation } from '../agent/evaluation.ts';
import type { Provisioning } from '../agent/provisioning.ts';
import type { FormulaId } from '../formula/formula.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { MailService } from '../mail/mail-service.ts';
import type { PostOffice } from '../mail/post-office.ts';
import type { Requests } from '../mail/requests.ts';
import type { DirectoryService } from '../name/directory-service.ts';
import type { NameFollowing } from '../name/following.ts';

/** What directories act with. */
export type DirectoryPowers = {
  readonly directory: DirectoryService;
  readonly following: NameFollowing;
};

/** What guests act with, besides. */
export type GuestPowers = DirectoryPowers & {
  readonly mail: MailService;
  readonly requests: Requests;
  readonly office: PostOffice;
  readonly incarnator: Incarnator;
};

/** What hosts act with, besides. */
export type HostPowers = GuestPowers & {
  readonly evaluation: Evaluation;
  readonly provisioning: Provisioning;
  readonly caplets: Caplets;
};

/** The context of a method of an exo that stands for one formula. */
export type OfFormula = { readonly state: { readonly id: FormulaId } };
