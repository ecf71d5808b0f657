export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Known signatures: of the scheme's own test suites, and derived with other implementations. */
export const VECTORS = [
  {
    title: "of the scheme's libraries",
    secret: SECRET,
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  {
    title: "of a sender's manual",
    secret: "whsec_plJ3nmyCDGBKInavdOK15jsl",
    id: "msg_loFOjxBNrRLzqYUf",
    timestamp: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
  },
  {
    title: "of a body beyond ASCII",
    secret: SECRET,
    id: "msg_pix_0001",
    timestamp: 1_760_000_000,
    body: '{"type":"payin.completed","data":{"buyer_name":"José Ação 😀"}}',
    signature: "v1,rXex3qHXf7I2eBJo5Emby5n3IrkrSUcvWE+t7sJfWXA=",
  },
  {
    title: "of an empty body",
    secret: SECRET,
    id: "msg_pix_0002",
    timestamp: 1_760_000_000,
    body: "",
    signature: "v1,Tm25h6EYC8M5FEWIzz8oNH8KF5qGCKkDew9oOMAACwU=",
  },
  {
    title: "of the scheme's own sample",
    secret: SECRET,
    id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    timestamp: 1_674_087_231,
    body: '{"type":"contact.created","timestamp":"2022-11-03T20:26:10.344522Z","data":{"id":"1f81eb52-5198-4599-803e-771906343485"}}',
    signature: "v1,ARw42xaAApl/nxRo+iPGYwSaMQaOwMo2eyH5JBRA+bQ=",
  },
];
