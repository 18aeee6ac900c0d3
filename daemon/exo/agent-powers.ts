import type { Blobs } from '../agent/blobs.ts';
import type { Caplets } from '../agent/caplets.ts';
import type { Evaluation } from '../agent/evaluation.ts';
import type { Grants } from '../agent/grants.ts';
import type { Proposals } from '../agent/proposals.ts';
import type { Provisioning } from '../agent/provisioning.ts';
import type { FormulaId } from '../formula/formula.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { Decisions } from '../mail/decisions.ts';
import type { MailService } from '../mail/mail-service.ts';
import type { PostOffice } from '../mail/post-office.ts';
import type { Requests } from '../mail/requests.ts';
import type { DirectoryService } from '../name/directory-service.ts';
import type { NameFollowing } from '../name/following.ts';
import type { BlobStore } from '../store/blobs.ts';

/** What directories act with. */
export type DirectoryPowers = {
  readonly directory: DirectoryService;
  readonly following: NameFollowing;
};

/** What guests act with, besides. */
export type GuestPowers = DirectoryPowers & {
  readonly mail: MailService;
  readonly requests: Requests;
  readonly decisions: Decisions;
  readonly proposing: Proposals;
  readonly office: PostOffice;
  readonly incarnator: Incarnator;
};

/** What hosts act with, besides. */
export type HostPowers = GuestPowers & {
  readonly evaluation: Evaluation;
  readonly grants: Grants;
  readonly provisioning: Provisioning;
  readonly caplets: Caplets;
  readonly storing: Blobs;
  readonly blobs: BlobStore;
};

/** The context of a method of an exo that stands for one formula. */
export type OfFormula = { readonly state: { readonly id: FormulaId } };
