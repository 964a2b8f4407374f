import {
  type Guide,
  type GuideContext,
  GuideSection,
} from "#app/console/(pages)/help/guide-section.tsx";
import { ConsoleLink } from "#app/console/ui/links.tsx";

const dnsRecords = ({ domain }: GuideContext): Guide => (
  <>
    <GuideSection id="why" title="Why you need DNS records">
      <p>
        Anyone can put <code>{`hello@${domain}`}</code> into the From field of an email. DNS records
        let other mail servers verify that an email really comes from you. Without them, your emails
        go to spam or are rejected.
      </p>
    </GuideSection>
    <GuideSection id="which" title="What each record does">
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
    </GuideSection>
    <GuideSection id="publish" title="Publish the records">
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
    </GuideSection>
    <GuideSection id="later" title="Ongoing checks">
      <p>
        Posthouse rechecks the records about every hour. Sending stops only after two checks an hour
        apart find that SPF or DKIM is missing. A name server that doesn’t respond never stops
        sending.
      </p>
    </GuideSection>
  </>
);

const reports = ({ domain }: GuideContext): Guide => (
  <>
    <GuideSection id="what" title="What DMARC reports are">
      <p>
        Mailbox providers such as Google and Microsoft count the mail that claims to come from{" "}
        <code>{domain}</code> and send a daily report to the address in your DMARC record. Posthouse
        reads these reports. Open a domain under <ConsoleLink to="domains">Domains</ConsoleLink> and
        select Reports. The first reports arrive a day or two after you publish the record.
      </p>
    </GuideSection>
    <GuideSection id="senders" title="Assess your sending sources">
      <dl>
        <dt>Authenticated</dt>
        <dd>Passes SPF and DKIM. Nothing to do.</dd>
        <dt>DKIM only</dt>
        <dd>Your forwarded mail, or a service that signs for your domain. Nothing to do.</dd>
        <dt>SPF only</dt>
        <dd>
          Not signed with DKIM, so its mail fails when forwarded. Set up DKIM for this source.
        </dd>
        <dt>Partially passing</dt>
        <dd>
          Only some of its messages are signed. Often, one of several applications isn’t set up.
        </dd>
        <dt>Not set up or unknown</dt>
        <dd>
          Fails SPF and DKIM. If you know the source, such as a newsletter or invoicing service, set
          up SPF and DKIM there. If not, someone is spoofing your domain: a stricter policy stops
          them.
        </dd>
      </dl>
    </GuideSection>
    <GuideSection id="policy" title="Tighten your policy step by step">
      <ol>
        <li>
          <code>p=none</code>: mail that fails is delivered as usual, and you only get reports. Keep
          this policy until all your own sources pass.
        </li>
        <li>
          <code>p=quarantine</code>: mail that fails goes to spam.
        </li>
        <li>
          <code>p=reject</code>: mail that fails is rejected. Your domain is protected from
          spoofing.
        </li>
      </ol>
    </GuideSection>
    <GuideSection id="tls" title="TLS reports">
      <p>
        If you publish the TLS-RPT record, other mail servers also report how many deliveries to you
        were encrypted and why others failed. The most common causes are certificates that have
        expired or don’t match the server’s name.
      </p>
    </GuideSection>
  </>
);

const roles = (): Guide => (
  <>
    <GuideSection id="words" title="Owners, roles, and units">
      <dl>
        <dt>Owner</dt>
        <dd>Has every privilege in the company. There is always at least one owner.</dd>
        <dt>Role</dt>
        <dd>A named set of privileges, such as “Help desk”. Admins can have several roles.</dd>
        <dt>Unit</dt>
        <dd>
          A part of the company, such as “Sales”. Every mailbox belongs to a unit, and units can
          contain other units.
        </dd>
      </dl>
    </GuideSection>
    <GuideSection id="limit" title="Limit a role to a unit">
      <p>
        A role limited to a unit applies to the mailboxes in that unit and in the units below it. It
        can grant only privileges about mailboxes: view, create, edit, and suspend mailboxes, and
        reset passwords. All other privileges require a role for the whole company.
      </p>
    </GuideSection>
    <GuideSection id="invite" title="Invite an admin">
      <p>
        Invite admins under <ConsoleLink to="team">Team</ConsoleLink> and choose their roles: ones
        that you created, or ready-made ones such as “Help desk” or “Read only”. You can grant only
        privileges that you have yourself. An admin’s page lists their privileges and the roles that
        grant them.
      </p>
    </GuideSection>
    <GuideSection id="keys" title="Roles and API keys">
      <p>
        An API key with full access has the current privileges of the admin who created it. If the
        admin loses a privilege, the key loses it too. If the admin is removed, the key is revoked.
        For production, use keys with sending access, or keys created by an admin who stays. You can
        change a key’s permission, domain, and allow-list on its page. Only its creator and owners
        can give it full access.
      </p>
    </GuideSection>
  </>
);

const signIn = (): Guide => (
  <>
    <GuideSection id="factor" title="Set up a second factor">
      <p>
        Set up a second factor under{" "}
        <ConsoleLink to="profile?tab=security">Your profile</ConsoleLink>. We recommend two, so that
        you don’t lose access if you lose your phone.
      </p>
      <dl>
        <dt>Authenticator app</dt>
        <dd>Shows a six-digit code that changes every 30 seconds. Enter it when you sign in.</dd>
        <dt>Passkey</dt>
        <dd>
          Your fingerprint, face, or PIN on a device, or a security key. A passkey can also sign you
          in without your password, and it can’t be phished.
        </dd>
        <dt>Recovery codes</dt>
        <dd>
          Ten codes, shown once when you add your first factor. Each replaces your second factor
          once. Keep them separate from your phone.
        </dd>
      </dl>
    </GuideSection>
    <GuideSection id="everybody" title="Require a second factor for all admins">
      <p>
        Turn on the requirement under{" "}
        <ConsoleLink to="settings?tab=access">Settings, Access</ConsoleLink>. The page lists the
        admins without a second factor. They have to set one up before they can use the console
        again. API keys, mailboxes, and mail apps aren’t affected: mail apps can’t ask for a second
        factor. Only an owner can turn the requirement off.
      </p>
    </GuideSection>
    <GuideSection id="single-sign-on" title="Sign in with your company’s identity provider">
      <p>
        Owners can connect Google Workspace, Microsoft Entra, Keycloak, or another OpenID Connect
        provider under <ConsoleLink to="settings?tab=access">Settings, Access</ConsoleLink>. To sign
        in with it, admins enter their address on the sign-in page and click{" "}
        <b>Use single sign-on</b>. It works only for admins invited under{" "}
        <ConsoleLink to="team">Team</ConsoleLink>, and opens only this company. Owners can also
        allow or require single sign-on for mailbox users, who sign in at /account. If single
        sign-on is required and your provider fails, the operator of this server can allow passwords
        again with <code>posthouse company allow-passwords</code>.
      </p>
    </GuideSection>
    <GuideSection id="lost" title="Lost access">
      <dl>
        <dt>Lost phone</dt>
        <dd>
          Sign in with a recovery code or your other factor. Remove the lost factor, then add a new
          one.
        </dd>
        <dt>Lost password</dt>
        <dd>
          Click <b>Forgot your password?</b> on the sign-in page. You get a link that works once and
          expires after an hour. Your second factor is still required. If others were given access
          to your mail in the last seven days, the company’s other owners are notified.
        </dd>
        <dt>Lost password, second factor, and recovery codes</dt>
        <dd>
          Ask the operator of this Posthouse server to create a link with{" "}
          <code>posthouse admin reset-password --without-second-factor --email ADDRESS</code>.
        </dd>
      </dl>
    </GuideSection>
    <GuideSection id="sessions" title="Sessions">
      <p>
        Sessions last 14 days, or less if your company set a shorter session length under Settings,
        Access. A session also ends when it isn’t used for 12 hours, or for the time that the
        operator of this server set instead. See and end your own sessions under{" "}
        <ConsoleLink to="profile?tab=sessions">Your profile</ConsoleLink> and those of other admins
        under <ConsoleLink to="settings?tab=sessions">Settings, Sessions</ConsoleLink>. Changing
        your password or adding your first second factor ends all your other sessions. Removing an
        admin or turning off their access under <ConsoleLink to="team">Team</ConsoleLink> ends their
        sessions immediately.
      </p>
    </GuideSection>
  </>
);

const audit = (): Guide => (
  <>
    <GuideSection id="what" title="What the audit log records">
      <p>
        The audit log records every change in your company and every sign-in: who did it, when, and
        the values before and after. It covers changes by admins, API keys, mailbox users,
        operators, and Posthouse itself. It never contains passwords, keys, or the content of
        emails.
      </p>
    </GuideSection>
    <GuideSection id="find" title="Find an entry">
      <ul>
        <li>Search for a name, an address, or any detail of a change.</li>
        <li>Open an entry to filter the log by the admin who made the change.</li>
        <li>The page URL contains your filters. Share it with another admin.</li>
      </ul>
    </GuideSection>
    <GuideSection id="keep" title="Retention and access">
      <p>
        Entries can’t be changed or deleted in the console. Posthouse deletes them only if the
        operator limits how long they are kept, and replaces the address of someone outside your
        company who has asked to be erased. To read the log, an admin needs the View audit
        privilege. To give an auditor read access only, create a{" "}
        <ConsoleLink to="team/roles">role</ConsoleLink> with just this privilege. Use Export to
        download the filtered entries as CSV or JSON.
      </p>
    </GuideSection>
    <GuideSection id="verify" title="Verify that nothing was changed">
      <p>
        Every minute, Posthouse seals new entries with a key that isn’t in the database. If someone
        changes, inserts, or deletes a sealed entry in the database, verification detects it. To
        have the audit log of your company verified, ask the operator to run{" "}
        <code>posthouse audit verify</code>.
      </p>
    </GuideSection>
  </>
);

export const managingGuides = {
  "dns-records": dnsRecords,
  reports,
  roles,
  "sign-in": signIn,
  audit,
};
