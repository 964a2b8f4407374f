import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const signIn = (): Section[] => [
  {
    id: "factor",
    title: "A second factor for yourself",
    body: (
      <>
        <p>
          Under <PageLink to="profile?tab=security">Your profile</PageLink>. One is enough, two are
          better: then a lost phone locks nobody out.
        </p>
        <dl>
          <dt>Authenticator app</dt>
          <dd>
            Shows a code of six digits that changes every half minute. You type it at sign-in.
          </dd>
          <dt>Passkey</dt>
          <dd>
            Your finger, face or PIN on a device, or a security key. It also signs you in alone,
            without the password, and cannot be given away to a forged page.
          </dd>
          <dt>Recovery codes</dt>
          <dd>
            Ten, shown once with your first factor. Each works once in its place. Keep them where
            your phone is not.
          </dd>
        </dl>
      </>
    ),
  },
  {
    id: "everybody",
    title: "Ask it of everybody",
    body: (
      <p>
        Under <PageLink to="settings?tab=access">Settings, Access</PageLink>. It says who has none
        yet. From then on the console opens for them once they have set one up; API keys and
        mailboxes go on as before.
      </p>
    ),
  },
  {
    id: "lost",
    title: "When something is lost",
    body: (
      <dl>
        <dt>The phone</dt>
        <dd>
          Sign in with a recovery code or the other factor, remove what is lost, add the new one.
        </dd>
        <dt>The password</dt>
        <dd>
          “Forgot your password?” on the sign-in page sends a link that works once, for an hour. The
          second factor is asked for all the same.
        </dd>
        <dt>Both, and the codes</dt>
        <dd>
          Whoever runs the server makes a link with{" "}
          <code>posthouse admin reset-password --without-second-factor --email …</code>.
        </dd>
      </dl>
    ),
  },
  {
    id: "sessions",
    title: "Sessions",
    body: (
      <p>
        One lasts 14 days, unless your company has set fewer hours under Settings, Access. You see
        and end your own on your page, and those of colleagues under{" "}
        <PageLink to="settings?tab=sessions">Settings, Sessions</PageLink>. A new password ends all
        others. Whoever leaves is switched off or removed under <PageLink to="team">Team</PageLink>:
        that ends theirs at once.
      </p>
    ),
  },
];
