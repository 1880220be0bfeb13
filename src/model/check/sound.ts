// Which values are known to be sound: descriptions that were checked, and the components' props made of them. Each
// construct checks what it is given; checking the same description again for each component would be a quarter of a synthesis.

const known = new WeakSet<object>();

export function isSound(props: unknown): boolean {
  return typeof props === "object" && props !== null && known.has(props);
}

/** Only for an object that nobody else can change. */
export function markSound<T extends object>(props: T): T {
  known.add(props);
  return props;
}

/** What is made of a description is as sound as the description. */
export function derived<T extends object>(from: object, props: T): T {
  return isSound(from) ? markSound(props) : props;
}
