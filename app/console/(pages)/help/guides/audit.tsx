import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const audit = (): Section[] => [
  {
    id: "what",
    title: "What is written down",
    body: (
      <p>
        Every change in your company, and every sign-in: who, when, what it was before and what it
        became. Not only people make changes: API keys, people in their own mailbox, operators of
        this Posthouse and the system itself are named too. Passwords, keys and the words of emails
        are never in it.
      </p>
    ),
  },
  {
    id: "find",
    title: "Find something",
    body: (
      <ul>
        <li>Search for a name, an address, or any detail of a change.</li>
        <li>Open an entry and choose “Show only …” to see everything that one admin did.</li>
        <li>The address of the page keeps what you look at: send it to a colleague.</li>
      </ul>
    ),
  },
  {
    id: "keep",
    title: "How long, and for whom",
    body: (
      <p>
        Nothing is deleted from it, and nobody can change it. It is read with the privilege View
        audit, which a <PageLink to="team/roles">role</PageLink> can give alone, such as to an
        auditor. Export takes along all that the filters show, as CSV or JSON.
      </p>
    ),
  },
];
