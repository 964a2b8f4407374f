import type { DomainDetail } from "#app/console/(pages)/domains/queries.ts";

import { DomainSwitches } from "./domain-switches.tsx";
import { TrackingSubdomain } from "./tracking-subdomain.tsx";

const TRACKING = [
  {
    field: "openTracking",
    label: "Open tracking",
    description:
      "Adds a one-pixel image to HTML emails and records when it loads. Many mail apps block images or load them automatically, so treat opens as an estimate.",
  },
  {
    field: "clickTracking",
    label: "Click tracking",
    description:
      "Routes the links in HTML emails through this server and records clicks. Tracked links work for 180 days. Links to other sites show their destination first.",
  },
] as const;

const UNSUBSCRIBING = [
  {
    field: "oneClickUnsubscribe",
    label: "One-click unsubscribe",
    description:
      "Mail apps show an Unsubscribe button with each email to one recipient, unless the email has its own List-Unsubscribe header. Recipients who use it are suppressed: they no longer get any of your company’s emails, including password resets and receipts.",
  },
] as const;

export function DomainTracking({ domain }: { domain: DomainDetail }) {
  return (
    <>
      <DomainSwitches domain={domain} title="Tracking" switches={TRACKING} />
      <DomainSwitches domain={domain} title="Unsubscribing" switches={UNSUBSCRIBING} />
      <TrackingSubdomain domain={domain} />
    </>
  );
}
