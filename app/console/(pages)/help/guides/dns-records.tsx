import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const dnsRecords = ({ domain }: GuideContext): GuideSection[] => [
  {
    id: "why",
    title: "Why you need DNS records",
    body: (
      <p>
        Anyone can put <code>{`hello@${domain}`}</code> into the From field of an email. DNS records
        let other mail servers verify that an email really comes from you. Without them, your emails
        go to spam or are rejected.
      </p>
    ),
  },
  {
    id: "which",
    title: "What each record does",
    body: (
      <dl>
        <dt>Ownership (TXT)</dt>
        <dd>
          Verifies that you own the domain. You can’t send or receive mail until it’s verified.
        </dd>
        <dt>SPF (TXT)</dt>
        <dd>
          Lists the servers that may send for the domain. A domain can have only one SPF record: if
          you already have one, extend it.
        </dd>
        <dt>DKIM (TXT)</dt>
        <dd>Contains the public key that verifies the signature of your emails.</dd>
        <dt>DMARC (TXT)</dt>
        <dd>
          Tells receivers what to do with mail that fails SPF and DKIM, and where to send reports.
          Start with <code>p=none</code>, read the reports, then tighten the policy.
        </dd>
        <dt>MX</dt>
        <dd>Routes the domain’s incoming mail to Posthouse. Required only for mailboxes.</dd>
        <dt>Tracking (CNAME)</dt>
        <dd>
          Lets the links in your emails use a subdomain of yours. Shown once you set one in the
          domain’s settings.
        </dd>
      </dl>
    ),
  },
  {
    id: "publish",
    title: "Publish the records",
    body: (
      <ol>
        <li>
          Open the domain under <ConsoleLink to="domains">Domains</ConsoleLink>. The console detects
          your DNS provider and formats hosts and values for it. Publish all records in one visit.
        </li>
        <li>
          At Cloudflare, DigitalOcean and Hetzner, click <b>Set up automatically</b>. Posthouse
          shows every change before it makes it, and doesn’t store your API token.
        </li>
        <li>
          If someone else manages your DNS, click <b>Email records</b>. They get the records with
          instructions and a zone file.
        </li>
        <li>Copy each value completely, without adding quotes or line breaks.</li>
        <li>
          Keep the page open. Posthouse checks the records every 40 seconds and says what is still
          missing or incorrect. It queries the domain’s name servers directly, so you don’t have to
          wait for caches to expire.
        </li>
      </ol>
    ),
  },
  {
    id: "later",
    title: "Ongoing checks",
    body: (
      <p>
        Posthouse rechecks the records about every hour. Sending stops only after two checks an hour
        apart find that SPF or DKIM is missing. A name server that doesn’t respond never stops
        sending.
      </p>
    ),
  },
];
