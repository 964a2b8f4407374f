import { Anchor } from "@mantine/core";

import type { GuideContext, GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const mailApps = ({ url }: GuideContext): GuideSection[] => [
  {
    id: "easy",
    title: "Automatic setup",
    body: (
      <p>
        Send the mailbox user to{" "}
        <Anchor href="/account/connect" inherit underline="always">
          {url}/account/connect
        </Anchor>
        . The page shows step-by-step instructions for Outlook, Thunderbird, Apple Mail, and
        Android, and a QR code for phones. Most apps find all settings automatically once you
        publish the domain’s records for mail apps.
      </p>
    ),
  },
  {
    id: "password",
    title: "Passwords",
    body: (
      <ul>
        <li>
          A new mailbox has a temporary password. The mailbox user signs in at{" "}
          <code>{url}/account</code> and sets a new password. Until then, mail apps can’t sign in.
        </li>
        <li>
          We recommend a separate app password for each app. If a phone is lost, the mailbox user
          revokes only its password.
        </li>
        <li>
          If a mailbox user forgets their password, reset it on the mailbox’s page under{" "}
          <ConsoleLink to="mailboxes">Mailboxes</ConsoleLink>. This deletes their app passwords
          unless you keep them.
        </li>
        <li>
          Mail apps can’t ask for a second factor. For a mailbox user who has one, only app
          passwords work in mail apps, not the mailbox password. If a unit’s policy doesn’t allow
          app passwords, the mailbox password keeps working in mail apps without a second factor.
        </li>
      </ul>
    ),
  },
  {
    id: "hand",
    title: "Manual setup",
    body: (
      <ul>
        <li>The username is the full email address, or one of the mailbox’s aliases.</li>
        <li>Incoming mail: IMAP with TLS, usually port 993, or POP3 with TLS, usually port 995.</li>
        <li>
          Outgoing mail: SMTP with TLS, usually port 465, or with STARTTLS, usually port 587. Use
          the same username and password.
        </li>
        <li>Encryption is required. The server rejects passwords on unencrypted connections.</li>
      </ul>
    ),
  },
  {
    id: "trouble",
    title: "Troubleshooting",
    body: (
      <ul>
        <li>
          Sign-in fails for everyone in an office: there were too many failed attempts from the
          office’s IP address.
        </li>
        <li>
          Sign-in fails for one mailbox user: the mailbox is suspended, or it still has its
          temporary password.
        </li>
        <li>Certificate warning: the server name doesn’t match the certificate.</li>
      </ul>
    ),
  },
];
