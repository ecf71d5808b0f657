/** A status by word and shape, so that it can be read without colors. */
export function Status({ status }: { readonly status: string }) {
  const { shape, tone } = LOOKS[status] ?? { shape: "•", tone: "plain" };
  return (
    <span class={`status ${tone}`} data-testid="status">
      <span aria-hidden="true">{shape}</span> {status}
    </span>
  );
}

const LOOKS: Readonly<Record<string, { readonly shape: string; readonly tone: string }>> = {
  waiting: { shape: "○", tone: "open" },
  pending: { shape: "○", tone: "open" },
  sending: { shape: "◔", tone: "open" },
  paid: { shape: "●", tone: "good" },
  completed: { shape: "●", tone: "good" },
  delivered: { shape: "●", tone: "good" },
  canceled: { shape: "✕", tone: "bad" },
  failed: { shape: "✕", tone: "bad" },
  expired: { shape: "◇", tone: "over" },
};
