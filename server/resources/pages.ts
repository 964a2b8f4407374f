import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { appPasswordsAccount, setUpAccount } from "./account/mail-apps.ts";
import { rulesAccount } from "./account/rules.ts";
import { secondFactorsAccount, sessionsAccount } from "./account/sessions.ts";
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
import { limitsConsole } from "./limits.ts";
import { logsConsole } from "./logs.ts";
import { mailHostsConsole } from "./mail-hosts.ts";
import { mailImportsConsole } from "./mail-imports.ts";
import { mailLogConsole } from "./mail-log.ts";
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

/** What the pages of the console can call, by noun. */
const consoleResources = {
  groups: groupsConsole,
  apiKeys: apiKeysConsole,
  suppressions: suppressionsConsole,
  templates: templatesConsole,
  inboundAddresses: inboundAddressesConsole,
  received: receivedConsole,
  logs: logsConsole,
  emails: emailsConsole,
  mailboxAccess: mailboxAccessConsole,
  mailboxes: mailboxesConsole,
  domains: domainsConsole,
  dns: dnsConsole,
  webhookEvents: webhookEventsConsole,
  webhooks: webhooksConsole,
  audit: auditConsole,
  deletedItems: deletedItemsConsole,
  invitations: invitationsConsole,
  mailImports: mailImportsConsole,
  metrics: metricsConsole,
  onHold: onHoldConsole,
  overview: overviewConsole,
  passwordReset: passwordResetConsole,
  profile: profileConsole,
  quarantine: quarantineConsole,
  roles: rolesConsole,
  secondFactors: secondFactorsConsole,
  sessions: sessionsConsole,
  setUp: setUpConsole,
  settings: settingsConsole,
  singleSignOn: singleSignOnConsole,
  team: teamConsole,
  units: unitsConsole,
  companies: companiesConsole,
  operate: operateConsole,
  limits: limitsConsole,
  mailHosts: mailHostsConsole,
  mailLog: mailLogConsole,
  plans: plansConsole,
  queue: queueConsole,
};

/** What the pages of `/account` can call, by noun. */
const accountResources = {
  secondFactors: secondFactorsAccount,
  appPasswords: appPasswordsAccount,
  quarantine: quarantineAccount,
  rules: rulesAccount,
  sessions: sessionsAccount,
  setUp: setUpAccount,
};

type Named<Resources, Prefix extends string> = {
  [Noun in keyof Resources & string]: {
    [Verb in keyof Resources[Noun] & string as `${Prefix}${Noun}.${Verb}`]: Resources[Noun][Verb];
  };
}[keyof Resources & string];

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Every endpoint of our own pages, by its name. */
export type PageApi = Intersection<
  Named<typeof consoleResources, ""> | Named<typeof accountResources, "account.">
>;

const endpointsOf = (resources: object): AnyEndpoint[] =>
  Object.values(resources).flatMap(
    (endpoints: object) => Object.values(endpoints) as AnyEndpoint[],
  );

export const consoleEndpoints = endpointsOf(consoleResources);
export const accountEndpoints = endpointsOf(accountResources);
