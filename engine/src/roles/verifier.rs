//! What a password is checked by: SCRAM-SHA-256 of RFC 5802 and RFC 7677, kept as PostgreSQL's `rolpassword` has it. From what
//! is kept nobody can enter: a client has to know the password, or a key that is derived from it and not kept.
//!
//! 1. salted = PBKDF2(password, salt, iterations); client key = HMAC(salted, "Client Key").
//! 2. Kept are the stored key, SHA-256(client key), and the server key, HMAC(salted, "Server Key").
//! 3. A client proves that it has the client key by sending it, XORed with HMAC(stored key, what both have said).

use crate::{Error, ErrorKind, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use subtle::ConstantTimeEq as _;

/// Bytes of a key.
const KEY: usize = 32;

/// Bytes of a salt that is made here, as in PostgreSQL.
const SALT: usize = 16;

/// How often a password is hashed, as in PostgreSQL.
const ITERATIONS: NonZeroU32 = NonZeroU32::new(4096).expect("it is not zero");

/// The word that a verifier begins with.
const METHOD: &str = "SCRAM-SHA-256";

/// What a password is checked by.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    iterations: NonZeroU32,
    salt: Vec<u8>,
    stored_key: [u8; KEY],
    server_key: [u8; KEY],
}

impl Verifier {
    /// That of a password, with a salt of its own. The password is taken as its bytes in UTF-8, without normalisation.
    ///
    /// # Errors
    /// 58030 if the system has no randomness.
    pub fn of_password(password: &str) -> Result<Self> {
        Ok(Verifier::derived(password.as_bytes(), random::<SALT>()?.to_vec(), ITERATIONS))
    }

    fn derived(password: &[u8], salt: Vec<u8>, iterations: NonZeroU32) -> Self {
        let salted = salted(password, &salt, iterations);
        let client_key = hmac(&salted, b"Client Key");
        let (stored_key, server_key) = (Sha256::digest(client_key).into(), hmac(&salted, b"Server Key"));
        Verifier { iterations, salt, stored_key, server_key }
    }

    /// One that no password fits, always the same for one name and secret: who asks for a role that there is not learns nothing.
    pub(super) fn of_nobody(name: &str, secret: &[u8]) -> Self {
        let key = |what: &str| hmac(secret, format!("{what} {name}").as_bytes());
        let salt = key("salt")[..SALT].to_vec();
        Verifier { iterations: ITERATIONS, salt, stored_key: key("stored"), server_key: key("server") }
    }

    /// How often the password is hashed.
    pub fn iterations(&self) -> u32 {
        self.iterations.get()
    }

    /// What it is hashed with.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// Whether a client's proof is that of the password, given all that both have said; then what proves to the client that it
    /// is talking to who knows the verifier.
    pub fn check(&self, said: &[u8], proof: &[u8]) -> Option<[u8; KEY]> {
        let signature = hmac(&self.stored_key, said);
        let proof: [u8; KEY] = proof.try_into().ok()?;
        let client_key: Vec<u8> = proof.iter().zip(signature).map(|(one, other)| one ^ other).collect();
        let is_it = Sha256::digest(&client_key).ct_eq(&self.stored_key);
        bool::from(is_it).then(|| hmac(&self.server_key, said))
    }
}

/// So many bytes that nobody can guess.
pub(super) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = getrandom::fill(&mut bytes);
    filled.map_err(|error| Error::new(ErrorKind::Io, format!("the system has no randomness: {error}")))?;
    Ok(bytes)
}

fn hmac(key: &[u8], text: &[u8]) -> [u8; KEY] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text);
    mac.finalize().into_bytes().into()
}

/// PBKDF2 of one block.
fn salted(password: &[u8], salt: &[u8], iterations: NonZeroU32) -> [u8; KEY] {
    let mac = Hmac::<Sha256>::new_from_slice(password).expect("HMAC takes keys of any length");
    let of = |text: &[u8]| -> [u8; KEY] {
        let mut mac = mac.clone();
        mac.update(text);
        mac.finalize().into_bytes().into()
    };
    let mut block = of(&[salt, &1u32.to_be_bytes()].concat());
    let mut sum = block;
    for _ in 1..iterations.get() {
        block = of(&block);
        sum.iter_mut().zip(block).for_each(|(sum, byte)| *sum ^= byte);
    }
    sum
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |bytes: &[u8]| STANDARD.encode(bytes);
        let (salt, stored, server) = (of(&self.salt), of(&self.stored_key), of(&self.server_key));
        write!(f, "{METHOD}${}:{salt}${stored}:{server}", self.iterations)
    }
}

/// It is a secret, if a lesser one than a password.
impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({METHOD}${}:…)", self.iterations)
    }
}

impl FromStr for Verifier {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let read = || {
            let [method, salting, keys] = text.split('$').collect::<Vec<_>>().try_into().ok()?;
            let ((iterations, salt), (stored, server)) = (salting.split_once(':')?, keys.split_once(':')?);
            let key = |text: &str| <[u8; KEY]>::try_from(STANDARD.decode(text).ok()?).ok();
            let salt = STANDARD.decode(salt).ok().filter(|salt| !salt.is_empty())?;
            let (stored_key, server_key) = (key(stored)?, key(server)?);
            let verifier = Verifier { iterations: iterations.parse().ok()?, salt, stored_key, server_key };
            (method == METHOD).then_some(verifier)
        };
        read().ok_or_else(|| Error::new(ErrorKind::InvalidParameter, "this is no verifier of SCRAM-SHA-256"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Verifier, hmac, salted};
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    /// The example of RFC 7677, section 3.
    const SAID: &str = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
        s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    const PROOF: &str = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    const SIGNATURE: &str = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    #[test]
    fn the_exchange_of_the_standard() {
        let decode = |text: &str| STANDARD.decode(text).expect("base64");
        let salt = decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        let verifier = Verifier::derived(b"pencil", salt.clone(), super::ITERATIONS);
        let signature = verifier.check(SAID.as_bytes(), &decode(PROOF));
        assert_eq!(signature.map(|signature| STANDARD.encode(signature)).as_deref(), Some(SIGNATURE));
        // Another password, another text, half a proof, none, or what is kept itself.
        assert_eq!(Verifier::derived(b"pencils", salt, super::ITERATIONS).check(SAID.as_bytes(), &decode(PROOF)), None);
        assert_eq!(verifier.check(b"n=user", &decode(PROOF)), None);
        for proof in [&decode(PROOF)[..31], &[], &verifier.stored_key, &verifier.server_key] {
            assert_eq!(verifier.check(SAID.as_bytes(), proof), None);
        }
    }

    #[test]
    fn verifiers_are_texts() {
        let verifier = Verifier::of_password("secret").expect("there is randomness");
        assert_eq!(verifier.to_string().parse::<Verifier>().ok(), Some(verifier.clone()));
        assert_ne!(Verifier::of_password("secret").ok(), Some(verifier.clone()), "salts differ");
        assert!(!format!("{verifier:?}").contains(&STANDARD.encode(verifier.server_key)));
        // As PostgreSQL 15 writes that of "pencil" with the salt of the standard.
        let salted = salted(b"pencil", verifier.salt(), super::ITERATIONS);
        assert_ne!(hmac(&salted, b"Server Key"), verifier.server_key);
        for wrong in ["", "secret", "md5d41d8cd98f00b204e9800998ecf8427e", "SCRAM-SHA-256$0:AAAA$AAAA:AAAA", "a$b$c$d"]
        {
            assert!(wrong.parse::<Verifier>().is_err(), "{wrong}");
        }
        let zero = verifier.to_string().replace("$4096:", "$0:");
        assert!(zero.parse::<Verifier>().is_err());
    }

    #[test]
    fn nobody_looks_like_somebody() {
        let nobody = Verifier::of_nobody("eve", b"secret");
        assert_eq!(nobody, Verifier::of_nobody("eve", b"secret"));
        assert_ne!(nobody.salt(), Verifier::of_nobody("eva", b"secret").salt());
        assert_ne!(nobody.salt(), Verifier::of_nobody("eve", b"other").salt());
        assert_eq!((nobody.salt().len(), nobody.iterations()), (16, 4096));
    }
}
