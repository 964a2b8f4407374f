import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import type { Topic } from "#app/console/(pages)/help/topics.ts";

import { backup, upgrade } from "./appliance.tsx";
import { audit } from "./audit.tsx";
import { bounces } from "./bounces.tsx";
import { dnsRecords } from "./dns-records.tsx";
import { firstEmail } from "./first-email.tsx";
import { groups } from "./groups.tsx";
import { limits } from "./limits.tsx";
import { mailApps } from "./mail-apps.tsx";
import { mailboxes } from "./mailboxes.tsx";
import { moving } from "./moving.tsx";
import { receiving } from "./receiving.tsx";
import { reports } from "./reports.tsx";
import { roles } from "./roles.tsx";
import { signIn } from "./sign-in.tsx";
import { spam } from "./spam.tsx";
import { templates } from "./templates.tsx";
import { tracing } from "./tracing.tsx";
import { units } from "./units.tsx";
import { webhooks } from "./webhooks.tsx";

export const guides: Record<Topic, (reader: GuideContext) => GuideSection[]> = {
  "first-email": firstEmail,
  templates,
  "dns-records": dnsRecords,
  reports,
  webhooks,
  receiving,
  bounces,
  mailboxes,
  moving,
  "mail-apps": mailApps,
  groups,
  units,
  spam,
  roles,
  "sign-in": signIn,
  audit,
  limits,
  tracing,
  backup,
  upgrade,
};
