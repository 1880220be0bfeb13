/** What a function gives, or something else where it throws. */
export function orElse<Given, Otherwise>(give: () => Given, otherwise: Otherwise): Given | Otherwise {
  try {
    return give();
  } catch {
    return otherwise;
  }
}
