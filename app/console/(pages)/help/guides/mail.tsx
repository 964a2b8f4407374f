import { Anchor } from "@mantine/core";

import {
  type Guide,
  type GuideContext,
  GuideSection,
} from "#app/console/(pages)/help/guide-section.tsx";
import { ConsoleLink } from "#app/console/ui/links.tsx";

const mailboxes = ({ url, domain }: GuideContext): Guide => (
  <>
    <GuideSection id="make" title="Create mailboxes">
      <p>
        <ConsoleLink to="mailboxes/new">Create a mailbox</ConsoleLink>, or{" "}
        <ConsoleLink to="mailboxes/import">import</ConsoleLink> many mailboxes from a spreadsheet.
        The import shows a preview of every row first. A mailbox receives mail as soon as it is
        created.
      </p>
    </GuideSection>
    <GuideSection id="hand-over" title="Hand over a mailbox">
      <p>
        The console shows the temporary password once. Print the welcome sheet, or share the
        password by phone or in person. The mailbox user signs in at <code>{url}/account</code> and
        sets a new password. Until then, mail apps can’t sign in. Or have Posthouse email a link to
        the mailbox user’s private address when you create the mailbox. They choose a password with
        it, once, within 7 days.
      </p>
    </GuideSection>
    <GuideSection id="aliases" title="Aliases and groups">
      <dl>
        <dt>Alias</dt>
        <dd>
          An additional address of a mailbox, such as <code>{`ann@${domain}`}</code> for{" "}
          <code>{`ann.lee@${domain}`}</code>. Add aliases on the mailbox’s page.
        </dd>
        <dt>Catch-all</dt>
        <dd>
          The alias <code>{`*@${domain}`}</code> receives mail to all addresses of the domain that
          don’t exist, including most spam to guessed addresses. It can’t be sent from.
        </dd>
        <dt>Shared mailbox</dt>
        <dd>
          A mailbox that several people open in their own mail apps, such as{" "}
          <code>{`info@${domain}`}</code>. Share it with mailboxes or a group on its Access tab.
          They find it under “Shared mailboxes”, and may have to subscribe to its folders. If you
          stop sharing, their mail apps are disconnected at once.
        </dd>
        <dt>Group</dt>
        <dd>
          One address for several people, such as <code>{`sales@${domain}`}</code>. Create groups
          under <ConsoleLink to="groups">Groups</ConsoleLink>.
        </dd>
      </dl>
    </GuideSection>
    <GuideSection id="forwarding" title="Forwarding and automatic replies">
      <p>
        Mailbox users set up forwarding, automatic replies, and filters themselves at{" "}
        <code>{url}/account</code>. Admins who can reset the password can change forwarding and
        automatic replies on the mailbox’s page.
      </p>
      <p>
        Before mail is forwarded outside your company, the forwarding address gets an email with a
        link to confirm it. Until then, mail stays in the mailbox. The mailbox’s page shows who
        hasn’t confirmed; the policies of its <ConsoleLink to="units">unit</ConsoleLink> can allow
        forwarding without confirmation, or forbid it.
      </p>
    </GuideSection>
    <GuideSection id="rename" title="Change an address">
      <p>
        Change the address on the mailbox’s Settings tab, for example after a name change. The old
        address becomes an alias, so mail to it still arrives, and mail apps can keep it as their
        username. Mail, rules, shares, groups, and app passwords are kept.
      </p>
    </GuideSection>
    <GuideSection id="full" title="Full mailboxes">
      <p>
        A full mailbox receives no mail: senders’ servers retry for a few days, then return it.
        Increase its storage limit in its settings, or ask the mailbox user to delete mail and empty
        the trash.
      </p>
    </GuideSection>
    <GuideSection id="leaves" title="Offboarding">
      <ol>
        <li>
          Suspend the mailbox. This blocks sign-in. Mail still arrives, and nothing is deleted. In
          the same dialog, have new mail delivered to someone else, share the mailbox, and reply to
          senders automatically.
        </li>
        <li>
          Delete the mailbox when you no longer need its mail. Only owners can do this. To give its
          addresses to a successor, choose their mailbox in the dialog. Owners can restore the
          mailbox, with its mail and addresses, under{" "}
          <ConsoleLink to="deleted">Deleted</ConsoleLink> until it’s deleted permanently.
        </li>
      </ol>
    </GuideSection>
    <GuideSection id="several" title="Bulk actions">
      <p>
        Select mailboxes in the list, or all search results, to suspend, move, or delete them, reset
        their passwords, or change their storage limits. The console shows a preview before it
        starts and the result for each mailbox.
      </p>
    </GuideSection>
  </>
);

const moving = ({ url, domain }: GuideContext): Guide => (
  <>
    <GuideSection id="before" title="A few days before">
      <ol>
        <li>
          Create your domain under <ConsoleLink to="domains">Domains</ConsoleLink>, verify
          ownership, and publish the records for sending. Don’t change the MX record yet: mail still
          goes to your current provider.
        </li>
        <li>
          At your DNS provider, lower the TTL of the MX record to 5 minutes so that the switch takes
          effect quickly.
        </li>
        <li>
          Create the mailboxes. Export the user list from your current provider and{" "}
          <ConsoleLink to="mailboxes/import">import</ConsoleLink> it. Exports from Google Workspace,
          Microsoft 365, and mailcow work without changes. Then create the{" "}
          <ConsoleLink to="groups">groups</ConsoleLink>.
        </li>
        <li>Print and distribute the welcome sheets.</li>
        <li>
          If you send emails through another provider, export its suppression lists and{" "}
          <ConsoleLink to="suppressions/import">import</ConsoleLink> them. Reasons and dates are
          kept.
        </li>
      </ol>
    </GuideSection>
    <GuideSection id="day" title="On the day">
      <ol>
        <li>
          Replace the MX record of {domain} with the one on the domain’s page. New mail now arrives
          here. For a few hours, some mail may still go to your previous provider.
        </li>
        <li>
          Mailbox users set a new password at <code>{url}/account</code> and connect their mail apps
          at <code>{url}/account/connect</code>.
        </li>
        <li>Send an email from an external address and reply to it.</li>
      </ol>
    </GuideSection>
    <GuideSection id="old" title="Copy existing mail">
      <p>
        <ConsoleLink to="mailboxes/import-mail">Import mail</ConsoleLink> copies folders, messages
        and flags over IMAP from Gmail, Microsoft 365, mailcow, cPanel, another Posthouse or any
        other server: one mailbox, or hundreds from a CSV file. Nothing on the old server changes.
        Start it before the day of the switch, and import new mail afterward.
      </p>
      <p>
        Check the storage limits first. A full mailbox receives no mail until there is room again.
      </p>
    </GuideSection>
    <GuideSection id="after" title="Afterwards">
      <ul>
        <li>Copy again after a few days to include mail that arrived late.</li>
        <li>Remove the previous provider from your SPF record, and restore the TTL.</li>
        <li>Keep the old accounts for a month, then close them.</li>
      </ul>
    </GuideSection>
  </>
);

const mailApps = ({ url }: GuideContext): Guide => (
  <>
    <GuideSection id="easy" title="Automatic setup">
      <p>
        Send the mailbox user to{" "}
        <Anchor href="/account/connect" inherit underline="always">
          {url}/account/connect
        </Anchor>
        . The page shows step-by-step instructions for Outlook, Thunderbird, Apple Mail, and
        Android, and a QR code for phones. Most apps find all settings automatically once you
        publish the domain’s records for mail apps.
      </p>
    </GuideSection>
    <GuideSection id="password" title="Passwords">
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
    </GuideSection>
    <GuideSection id="hand" title="Manual setup">
      <ul>
        <li>The username is the full email address, or one of the mailbox’s aliases.</li>
        <li>Incoming mail: IMAP with TLS, usually port 993, or POP3 with TLS, usually port 995.</li>
        <li>
          Outgoing mail: SMTP with TLS, usually port 465, or with STARTTLS, usually port 587. Use
          the same username and password.
        </li>
        <li>Encryption is required. The server rejects passwords on unencrypted connections.</li>
      </ul>
    </GuideSection>
    <GuideSection id="trouble" title="Troubleshooting">
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
    </GuideSection>
  </>
);

const groups = ({ domain }: GuideContext): Guide => (
  <>
    <GuideSection id="what" title="What a group is">
      <p>
        A group is an address, such as <code>{`sales@${domain}`}</code>, that forwards mail to up to
        200 addresses inside and outside your company. It doesn’t store mail. A group without
        members discards its mail. Create groups under <ConsoleLink to="groups">Groups</ConsoleLink>
        .
      </p>
      <p>
        A unit, or your whole company, can also be a member. Mail then goes to every mailbox in the
        unit and its subunits at that time.
      </p>
    </GuideSection>
    <GuideSection id="who" title="Who can post">
      <dl>
        <dt>Anyone</dt>
        <dd>For addresses that customers write to.</dd>
        <dt>Anyone in your company</dt>
        <dd>Your company’s mailbox users, and anyone sending from one of your domains.</dd>
        <dt>Members only</dt>
        <dd>For internal team discussions.</dd>
        <dt>Listed addresses only</dt>
        <dd>Only the addresses and domains you list.</dd>
      </dl>
    </GuideSection>
    <GuideSection id="moderation" title="Moderation">
      <p>
        You can require approval for all posts or for posts from non-members. Posthouse notifies the
        moderators, or the owners of your company if the group has none. Pending posts are under{" "}
        <ConsoleLink to="quarantine">Quarantine</ConsoleLink> and are deleted after 30 days.
      </p>
    </GuideSection>
    <GuideSection id="replies" title="Replies">
      <p>
        Replies go to the sender unless you choose the group. To let members with a mailbox send
        from the group’s address, allow it under Access and settings.
      </p>
    </GuideSection>
  </>
);

const units = (): Guide => (
  <>
    <GuideSection id="what" title="When to use units">
      <p>
        Every company starts with one unit that contains all mailboxes. Create more under{" "}
        <ConsoleLink to="units">Units</ConsoleLink> when a department needs its own policies or
        admins.
      </p>
    </GuideSection>
    <GuideSection id="inherit" title="Inherited policies">
      <p>
        A unit inherits its policies from the unit above it until you change them. The policies page
        marks those that are set in the unit and shows how many mailboxes they affect. Changes apply
        to the next sign-in and the next message.
      </p>
    </GuideSection>
    <GuideSection id="move" title="Move mailboxes and units">
      <p>
        Select mailboxes in <ConsoleLink to="mailboxes">the list</ConsoleLink> and move them. The
        new unit’s policies apply immediately, and storage limits don’t change. Moving a unit also
        moves the units below it. Groups that have the unit as a member include its new mailboxes.
        You can delete only empty units.
      </p>
    </GuideSection>
    <GuideSection id="admins" title="Admins of a unit">
      <p>
        Limit a role to a unit to let its admins see and manage only the mailboxes in that unit and
        the units below it. Manage roles under <ConsoleLink to="team/roles">Team</ConsoleLink>.
      </p>
    </GuideSection>
  </>
);

const spam = (): Guide => (
  <>
    <GuideSection id="steps" title="How incoming mail is filtered">
      <ol>
        <li>SPF, DKIM, and DMARC checks verify the sender.</li>
        <li>rspamd scores the content, if the operator of this server runs it.</li>
        <li>Suspicious mail goes to the Junk folder.</li>
        <li>
          Likely spam and dangerous mail goes to{" "}
          <ConsoleLink to="quarantine">Quarantine</ConsoleLink>. The mailbox user sees it only if
          the unit’s policies say so.
        </li>
        <li>Obvious spam is rejected, and the sender is notified.</li>
      </ol>
    </GuideSection>
    <GuideSection id="release" title="Release mail from quarantine">
      <p>
        Open a message in Quarantine to see why it is there and to read it as plain text. Then
        release or delete it. You can select several messages. Quarantined mail is deleted after 30
        days. Under <ConsoleLink to="units">Units</ConsoleLink>, you can send mailbox users a daily
        digest of their quarantined messages, and let them release spam themselves.
      </p>
    </GuideSection>
    <GuideSection id="teach" title="Train the spam filter">
      <p>
        Moving mail into or out of the Junk folder trains the filter. This works in every mail app.
      </p>
    </GuideSection>
    <GuideSection id="outgoing" title="Spam from one of your mailboxes">
      <p>
        If a mailbox suddenly sends to many new recipients from an unknown network, Posthouse puts
        its outgoing mail on hold. Under <ConsoleLink to="on-hold">On hold</ConsoleLink>, review the
        mail, release it, or secure the mailbox: this resets the password, ends all sessions, and
        deletes the mail on hold.
      </p>
    </GuideSection>
  </>
);

export const mailGuides = { mailboxes, moving, "mail-apps": mailApps, groups, units, spam };
