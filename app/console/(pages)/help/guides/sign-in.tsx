import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const signIn = (): GuideSection[] => [
  {
    id: "factor",
    title: "Set up a second factor",
    body: (
      <>
        <p>
          Set up a second factor under{" "}
          <ConsoleLink to="profile?tab=security">Your profile</ConsoleLink>. We recommend two, so
          that you don’t lose access if you lose your phone.
        </p>
        <dl>
          <dt>Authenticator app</dt>
          <dd>Shows a six-digit code that changes every 30 seconds. Enter it when you sign in.</dd>
          <dt>Passkey</dt>
          <dd>
            Your fingerprint, face, or PIN on a device, or a security key. A passkey can also sign
            you in without your password, and it can’t be phished.
          </dd>
          <dt>Recovery codes</dt>
          <dd>
            Ten codes, shown once when you add your first factor. Each replaces your second factor
            once. Keep them separate from your phone.
          </dd>
        </dl>
      </>
    ),
  },
  {
    id: "everybody",
    title: "Require a second factor for all admins",
    body: (
      <p>
        Turn on the requirement under{" "}
        <ConsoleLink to="settings?tab=access">Settings, Access</ConsoleLink>. The page lists the
        admins without a second factor. They have to set one up before they can use the console
        again. API keys, mailboxes, and mail apps aren’t affected: mail apps can’t ask for a second
        factor. Only an owner can turn the requirement off.
      </p>
    ),
  },
  {
    id: "single-sign-on",
    title: "Sign in with your company’s identity provider",
    body: (
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
    ),
  },
  {
    id: "lost",
    title: "Lost access",
    body: (
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
    ),
  },
  {
    id: "sessions",
    title: "Sessions",
    body: (
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
    ),
  },
];
