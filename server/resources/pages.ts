import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { appPasswordsAccount, setUpAccount } from "./account/mail-apps.ts";
import { rulesAccount } from "./account/rules.ts";
import { secondFactorsAccount, sessionsAccount } from "./account/sessions.ts";
import { webmailAccount } from "./account/webmail.ts";
import { apiKeysConsole } from "./api-keys.ts";
import { auditConsole } from "./audit/console.ts";
import { companiesConsole } from "./companies.ts";
import { deletedItemsConsole } from "./deleted-items.ts";
import { domainsConsole } from "./domains/console.ts";
import { dnsConsole } from "./domains/dns.ts";
import { emailsConsole } from "./emails/console.ts";
import { groupsConsole } from "./groups.ts";
import { inboundAddressesConsole } from "./inbound-addresses.ts";
import { invitationsConsole } from "./invitations.ts";
import { serverSettingsConsole } from "./server-settings.ts";
import { logsConsole } from "./logs.ts";
import { mailHostsConsole } from "./mail-hosts.ts";
import { mailImportsConsole } from "./mail-imports.ts";
import { mailLogConsole, mailTraceConsole } from "./mail-log.ts";
import { mailboxImportsConsole } from "./mailbox-imports.ts";
import { mailboxAccessConsole } from "./mailboxes/access.ts";
import { mailboxesConsole } from "./mailboxes/console.ts";
import { metricsConsole } from "./metrics.ts";
import { onHoldConsole } from "./on-hold.ts";
import { operateConsole } from "./operate.ts";
import { overviewConsole } from "./overview.ts";
import { passwordResetConsole } from "./password-reset.ts";
import { plansConsole } from "./plans.ts";
import { profileConsole, secondFactorsConsole } from "./profile.ts";
import { quarantineAccount, quarantineConsole } from "./quarantine.ts";
import { queueConsole } from "./queue.ts";
import { receivedConsole } from "./received/console.ts";
import { rolesConsole } from "./roles.ts";
import { routesConsole } from "./routes.ts";
import { sessionsConsole } from "./sessions.ts";
import { setUpConsole } from "./set-up.ts";
import { settingsConsole } from "./settings.ts";
import { singleSignOnConsole } from "./single-sign-on.ts";
import { suppressionsConsole } from "./suppressions/console.ts";
import { teamConsole } from "./team.ts";
import { templatesConsole } from "./templates/console.ts";
import { unitsConsole } from "./units.ts";
import { webhookEventsConsole } from "./webhooks/console-events.ts";
import { webhooksConsole } from "./webhooks/console.ts";

/** What the pages of the console can call. */
const consoleResources = [
  groupsConsole,
  apiKeysConsole,
  suppressionsConsole,
  templatesConsole,
  inboundAddressesConsole,
  receivedConsole,
  logsConsole,
  emailsConsole,
  mailboxAccessConsole,
  mailboxesConsole,
  mailboxImportsConsole,
  domainsConsole,
  dnsConsole,
  webhookEventsConsole,
  webhooksConsole,
  auditConsole,
  deletedItemsConsole,
  invitationsConsole,
  mailImportsConsole,
  metricsConsole,
  onHoldConsole,
  overviewConsole,
  passwordResetConsole,
  profileConsole,
  quarantineConsole,
  rolesConsole,
  routesConsole,
  secondFactorsConsole,
  sessionsConsole,
  setUpConsole,
  settingsConsole,
  singleSignOnConsole,
  teamConsole,
  unitsConsole,
  companiesConsole,
  operateConsole,
  serverSettingsConsole,
  mailHostsConsole,
  mailLogConsole,
  mailTraceConsole,
  plansConsole,
  queueConsole,
] as const;

/** What the pages of `/account` can call. */
const accountResources = [
  secondFactorsAccount,
  appPasswordsAccount,
  quarantineAccount,
  rulesAccount,
  sessionsAccount,
  setUpAccount,
  webmailAccount,
] as const;

type OneOf<Resources> = Resources extends unknown ? Resources[keyof Resources] : never;

type NameOf<Path> = Path extends `/console/api/${infer Noun}/${infer Verb}`
  ? `${Noun}.${Verb}`
  : Path extends `/account/api/${infer Noun}/${infer Verb}`
    ? `account.${Noun}.${Verb}`
    : never;

/** Every endpoint of our own pages, by its name. */
export type PageApi = {
  [
    E in OneOf<(typeof consoleResources)[number] | (typeof accountResources)[number]> as NameOf<
      E["path"]
    >
  ]: E;
};

const endpointsOf = (resources: readonly object[]): AnyEndpoint[] =>
  resources.flatMap((endpoints) => Object.values(endpoints) as AnyEndpoint[]);

export const consoleEndpoints = endpointsOf(consoleResources);
export const accountEndpoints = endpointsOf(accountResources);
