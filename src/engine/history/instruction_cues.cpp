#include "engine/history/instruction_cues.hpp"

#include <string_view>

#include "core/ascii.hpp"

namespace ctxmgr::engine {
namespace {

/// The phrases between the bars.
Phrases phrases(std::string_view text) {
  Phrases list;
  while (!text.empty()) list.emplace_back(ascii::take_until(text, '|'));
  return list;
}

InstructionCues english() {
  return {
      .always_instructs =
          phrases("i prefer|i'd prefer|i would prefer|i'd rather|i would rather|i want you to|"
                  "i'd like you to|i would like you to|i need you to|i don't want you to|"
                  "i do not want you to|when i ask|whenever i ask|if i ask|when i say|whenever i say|"
                  "every time i ask|each time i ask|unless i ask|unless i say|until i say|i no longer want|"
                  "i no longer need|i don't need * anymore|i don't want * anymore|forget what i said|"
                  "forget that i|you no longer need to|you don't need to * anymore|no need to * anymore|"
                  "i like * answers|i like * replies|i want * answers|scrap what i said|you must not|"
                  "you mustn't|you must never|remember that|keep in mind that|call me|my budget is|you may * again|"
                  "you can * again"),
      .standing = phrases("from now on|from here on|from this point on|going forward|in future|in the future|"
                          "henceforth|as of now|from today on|next time|in the next|the next time"),
      .begins = phrases("always|never|no longer|don't|do not|scrap|no need to"),
      .revokes = phrases("stop|forget|instead|don't ever|do not ever|remember to|make sure|avoid|refrain from|"
                         "ignore|disregard|you no longer|no more"),
      .binds = phrases("must not be|mustn't be|must never|may not be|may never be|may only be|only * may be|"
                       "should not be|shouldn't be|should never be|is not to be|are not to be|off limits|off-limits|"
                       "as read-only|is read-only|are read-only|all * are written|all * are given|keep every|keep all|"
                       "keep each|treat everything|treat all|treat every"),
      .conditions = phrases("if|when|whenever|unless|once|before|as soon as|in case"),
      .frequency = phrases("always|never|instead|no longer|anymore|any more|again|every time|each time|from now on|"
                           "at all times|whenever|before you|unless"),
      .imperatives = phrases("use|answer|reply|respond|write|give|keep|make|show|call|address|send|list|put|format|"
                             "convert|explain|translate|summar|speak|say|tell|mention|include|add|round|cite|quote|"
                             "ask|check|treat|sign|start|begin|end|stick|switch|return|limit|leave|skip|refer|name|"
                             "note|do|don't|be|go|set|spell|take|provide|present|print|let|find|prefer|suggest|"
                             "recommend|plan|book|look|remind|consider|warn|compare|calculate|count|draft|propose"),
      .duties = phrases("you should|you must|you may|you can|you have to|you need to|you are to|please"),
      .politeness = phrases("please|and|but|also|ok|okay|then|well|actually|just|oh|hey|hi|now|by the way|"
                            "one more thing|one thing|one last thing|my rule|sorry|no|yes|thanks"),
      .consequences = phrases("so|therefore|hence|that's why"),
      .first_person = phrases("i|i'm|i've"),
      .others = phrases("i|he|she|it|we|they|the|a|an|this|that|these|those|my|his|her|our|their|its|there|who|"
                        "what|which|mind|worry|know|think|bother|care|feel"),
      .reports = phrases("says|said|wrote|writes|reads|states|according|told|tells|advises"),
  };
}

InstructionCues german() {
  return {
      .imperatives_are_stems = true,
      .always_instructs =
          phrases("ich bevorzuge|ich ziehe es vor|mir ist lieber|mir wäre lieber|ist mir lieber|"
                  "wäre mir lieber|du darfst nicht|du darfst nie|sie dürfen nicht|sie dürfen nie|denk daran dass|"
                  "merk dir dass|mein budget ist|ich hätte lieber|ich hätte gern|ich möchte dass|ich will dass|"
                  "ich möchte nicht dass|ich will nicht dass|wenn ich frage|wenn ich dich|wenn ich sie|"
                  "wenn ich nach|wenn ich um|jedes mal wenn ich|immer wenn ich|es sei denn ich|"
                  "ich möchte lieber|ich will lieber|ich will keine|ich mag lieber|ich möchte keine|"
                  "ich brauche * nicht mehr|ich brauche * mehr|mir ist es lieber|mir wäre es lieber|"
                  "brauchst du nicht mehr|brauchst du * nicht mehr|brauchen sie nicht mehr|"
                  "du brauchst * nicht mehr|sie brauchen * nicht mehr|musst du nicht mehr|"
                  "müssen sie nicht mehr|du musst * nicht mehr|nicht mehr nötig|ich mag * antworten|"
                  "ich mag kurze|ich will * antworten"),
      .standing = phrases("von nun an|ab jetzt|ab sofort|von jetzt an|künftig|in zukunft|zukünftig|ab heute|fortan|"
                          "nächstes mal|das nächste mal|beim nächsten mal"),
      .begins = phrases("immer|nie|niemals|nicht mehr|keine|kein|ignorier|nie wieder"),
      .revokes = phrases("hör auf|höre auf|hören sie auf|hör bitte auf|vergiss|vergessen sie|vergesse|lass das|"
                         "stattdessen|merk dir|stopp|schluss mit"),
      .frequency = phrases("immer|nie|niemals|stattdessen|nicht mehr|keine * mehr|keinen * mehr|kein * mehr|"
                           "nie wieder|nicht länger|jedes mal|künftig|stets|statt"),
      .imperatives = phrases("antwort|beantwort|schreib|verwend|nutz|benutz|gib|geben|nenn|zeig|ruf|sprich|sprech|"
                             "erklär|übersetz|fass|formatier|halt|mach|stell|füg|lass|sag|erwähn|rund|zitier|frag|"
                             "prüf|behandel|schick|send|bleib|nimm|nehm|list|red|duz|siez|kürz|vermeid|rechne|setz|"
                             "such|schlag|plan|buch|erinner|berücksichtig|empfehl|empfiehl|lies|vergleich"),
      .duties = phrases("du sollst|du musst|sie sollen|sie müssen|du darfst|sie dürfen|du sollest|bitte"),
      .politeness = phrases("bitte|und|aber|ok|okay|dann|ach|übrigens|nein|ja|danke|doch|noch etwas"),
      .consequences = phrases("also|deshalb|daher|darum|deswegen"),
      .first_person = phrases("ich"),
      .others = phrases("ich|er|sie|es|wir|ihr|der|die|das|den|dem|ein|eine|mein|meine|sein|seine|unser|unsere|"
                        "dieser|diese|dieses|man"),
      .reports = phrases("sagt|sagte|schrieb|schreibt|steht|laut|heißt|meint|meinte"),
  };
}

InstructionCues spanish() {
  return {
      .imperatives_are_stems = true,
      .always_instructs = phrases("prefiero|preferiría|cuando pida|cuando te pida|cuando le pida|cuando pregunte|"
                                  "cuando te pregunte|cuando le pregunte|cada vez que te|cada vez que pida|"
                                  "cada vez que pregunte|quiero que|no quiero que|me gustaría que|si te pido|"
                                  "si te pregunto|ya no quiero|ya no necesito|ya no hace falta|ya no es necesario|"
                                  "ya no tienes que|ya no tiene que|no hace falta que * más|cada vez que me|"
                                  "me gustan las respuestas|no debes|recuerda que|ten en cuenta que|"
                                  "llámame|mi presupuesto es"),
      .standing = phrases("de ahora en adelante|a partir de ahora|desde ahora|en adelante|en lo sucesivo|"
                          "de aquí en adelante|en el futuro|a partir de hoy|desde hoy|la próxima vez|"
                          "las próximas veces|la próxima"),
      .begins = phrases("siempre|nunca|jamás"),
      .revokes = phrases("deja de|dejad de|deje de|olvida|olvide|olvídate|olvidad|en lugar de eso|en su lugar|"
                         "en vez de eso|no vuelvas|no vuelva|evita|evite|ignora|ignore|para de|basta de|nada de"),
      .frequency = phrases("siempre|nunca|jamás|ya no|en su lugar|en lugar de|en vez de|no * más|cada vez|nunca más"),
      .imperatives = phrases("respond|contest|escrib|usa|use|utili|da|dame|dé|muestr|muéstr|explic|tradu|resum|llam|"
                             "llám|habl|pon|haz|haga|inclu|mencion|di|dime|diga|envía|envíe|redonde|cita|cite|pregunt|"
                             "revis|mant|añad|agreg|format|trát|trat|respónd|escríb|no|ten|tenlo|busc|sugier|propon|"
                             "recomiend|recuerd|recuérd|calcul|consider|compar|teng"),
      .duties = phrases("debes|tienes que|debe|tiene que|puedes|por favor"),
      .politeness = phrases("por favor|y|pero|también|vale|entonces|ah|oye|no|sí|gracias|bueno"),
      .consequences = phrases("así que|por eso|por tanto|por lo tanto|de modo que"),
      .first_person = phrases("yo|soy"),
      .others = phrases("yo|él|ella|ellos|nosotros|el|la|los|las|un|una|mi|mis|su|sus|este|esta|ese|esa|me|se|lo|"
                        "he|ha|es|está"),
      .reports = phrases("dice|dijo|escribió|según|pone|decía|dicen"),
  };
}

InstructionCues romanian() {
  return {
      .imperatives_are_stems = true,
      .always_instructs =
          phrases("prefer|aș prefera|vreau să îmi|vreau să-mi|vreau să folosești|vreau să scrii|"
                  "vreau să răspunzi|vreau să nu|aș vrea să|nu vreau să|când întreb|când te întreb|"
                  "când cer|când îți cer|ori de câte ori te|ori de câte ori îți|de fiecare dată când te|"
                  "de fiecare dată când îți|de fiecare dată când cer|nu mai vreau|nu mai am nevoie|"
                  "mi-ar plăcea să|nu mai e nevoie|nu mai este nevoie|nu mai trebuie să|"
                  "nu e nevoie să * mai|îmi plac răspunsurile|prefer răspunsuri"),
      .standing = phrases("de acum înainte|de acum încolo|începând de acum|pe viitor|de azi înainte|de acum|"
                          "începând cu acest moment|în viitor|data viitoare|de data viitoare|dățile viitoare"),
      .begins = phrases("mereu|întotdeauna|niciodată|nu mai|nu folosi|să nu"),
      .revokes = phrases("uită|uitați|încetează|încetați|oprește|opriți|termină cu|în schimb|în loc de asta|evită|"
                         "evitați|ignoră|las-o baltă|gata cu"),
      .frequency = phrases("mereu|întotdeauna|niciodată|nu mai|în schimb|în loc de|de fiecare dată"),
      .imperatives = phrases("răspund|scri|folose|folosi|utiliz|dă|dați|arat|arăt|explic|tradu|rezum|spune|nume|numi|"
                             "vorbe|vorbi|pune|fă|face|inclu|menționea|trimite|adaug|adăug|formatea|rotunj|citea|"
                             "întreab|verific|păstr|tratea|adresea|listea|să|nu|caut|propune|sugerea|recomand|"
                             "amintește|calculea|ține|țin"),
      .duties = phrases("trebuie să|te rog|vă rog|ar trebui să|poți să|vreau să"),
      .politeness = phrases("te rog|vă rog|și|dar|iar|de asemenea|ok|atunci|bine|nu|da|apropo"),
      .consequences = phrases("așa că|deci|prin urmare|de aceea"),
      .first_person = phrases("eu|sunt"),
      .others = phrases("eu|el|ea|noi|ei|ele|un|o|al|acest|această|mi|se|am|are|este"),
      .reports = phrases("spune că|zice|scrie pe|a spus|conform|a scris|a zis|potrivit"),
  };
}

InstructionCues turkish() {
  return {
      .imperative_is_last = true,
      .always_instructs =
          phrases("tercih ederim|tercih ediyorum|sorduğumda|istediğimde|sorduğum zaman|istediğim zaman|"
                  "~manı istiyorum|~meni istiyorum|~manızı istiyorum|~menizi istiyorum|~manı istemiyorum|"
                  "~meni istemiyorum|~manızı istemiyorum|~menizi istemiyorum|artık istemiyorum|unut|unutun|"
                  "~mayı bırak|~meyi bırak|~mayı bırakın|~meyi bırakın|~maktan vazgeç|~mekten vazgeç|"
                  "~mayı kes|~meyi kes|~mayı durdur|~meyi durdur|artık * gerek yok|artık * gerekmiyor|"
                  "ne zaman * istesem|ne zaman * sorsam|her * istediğimde|cevapları seviyorum|"
                  "cevapları severim|yanıtları severim|yanıtları seviyorum|kısa cevap seviyorum|"
                  "dediğimi unut"),
      .standing = phrases("bundan sonra|bundan böyle|şu andan itibaren|bir dahaki sefere|gelecek sefer|"
                          "bir sonraki sefer|artık|ileride"),
      .closes = phrases("kullanma|yapma|yazma|gönderme|ekleme|söyleme|verme|sorma|önerme|silme|değiştirme|"
                        "kullanmayın|yapmayın|yazmayın|göndermeyin|eklemeyin|önermeyin"),
      .frequency = phrases("her zaman|daima|asla|hiçbir zaman|artık|bundan sonra|bundan böyle|yerine|bir daha|"
                           "sürekli|şu andan itibaren|her seferinde|şimdiden sonra|ileride|mutlaka|kesinlikle"),
      .imperative_endings =
          phrases("ver|verin|veriniz|yaz|yazın|kullan|kullanın|yap|yapın|söyle|söyleyin|ekle|ekleyin|göster|gösterin|"
                  "cevapla|yanıtla|yanıtlayın|cevaplayın|ol|olsun|et|edin|kal|konuş|konuşun|çevir|özetle|açıkla|"
                  "belirt|hitap et|tut|koy|sor|~ma|~me|~mayın|~meyin|~ınız|~iniz|~ayın|~eyin|~la|~le"),
      .duties = phrases("~malısın|~melisin|~malısınız|~melisiniz"),
      .consequences = phrases("bu yüzden|o yüzden|bu nedenle|dolayısıyla"),
      .first_person = phrases("ben"),
      .others = phrases("ben|o|biz|onlar|benim"),
      .statement_endings =
          phrases("~yor|~dı|~di|~du|~dü|~tı|~ti|~tu|~tü|~cak|~cek|~rım|~rim|~rum|~rüm|~yorum|~ız|~iz|~mış|"
                  "~miş|~muş|~müş|~dır|~dir|~tır|~tir|var|yok|~ar|~er|~ır|~ir"),
      .reports = phrases("diyor|dedi|yazıyor|göre|yazmış|demiş|söyledi"),
  };
}

InstructionCues hindi() {
  return {
      .imperative_is_last = true,
      .always_instructs =
          phrases("मैं चाहता हूँ कि आप|मैं चाहता हूं कि आप|मैं चाहती हूँ कि आप|मैं चाहती हूं कि आप|मैं चाहता हूँ कि तुम|"
                  "मैं चाहता हूं कि तुम|जब मैं पूछूँ|जब मैं पूछूं|जब भी मैं|जब मैं कहूँ|जब मैं कहूं|जब मैं माँगूँ|जब मैं मांगूं|बंद करो|बंद करें|"
                  "बंद कीजिए|बंद कर दो|बंद कर दें|भूल जाओ|भूल जाइए|भूल जाएं|भूल जाएँ|मैं पसंद करता|मैं पसंद करती|मैं पसंद करूँगा|"
                  "मैं पसंद करूंगा|मुझे * ज़्यादा पसंद|मुझे * ज्यादा पसंद|मुझे * अधिक पसंद|मुझे अब * नहीं चाहिए|"
                  "मुझे अब * ज़रूरत नहीं|अब * ज़रूरत नहीं|अब * जरूरत नहीं|मुझे * जवाब पसंद|मुझे * उत्तर पसंद"),
      .standing = phrases("अब से|आगे से|आज से|भविष्य में|अगली बार"),
      .closes = phrases("मत करो|मत करना|मत लिखो|मत लिखना|न करें|न लिखें|मत देना|मत दो|मत बताना"),
      .frequency = phrases("हमेशा|कभी नहीं|कभी भी|कभी|अब से|आगे से|के बजाय|की बजाय|बजाय|की जगह|अब|आज से|भविष्य में|हर बार|"
                           "दोबारा|फिर कभी|सदा|इसके बजाय|~ते समय|बिल्कुल नहीं|ज़रूर|जरूर"),
      .imperative_endings = phrases("~ें|~ो|~इए|~िए|~ना|~इएगा|~िएगा|~एं|~एँ|~ाओ|मत"),
      .duties = phrases("आपको * चाहिए|तुम्हें * चाहिए"),
      .consequences = phrases("इसलिए|तो|इसीलिए"),
      .first_person = phrases("मैं|मुझे"),
      .others = phrases("वह|वे|यह|हम|मैं|मेरा|मेरी"),
      .statement_endings = phrases("है|हैं|था|थी|थे|हूँ|हूं|गा|गे|गी|गया|गई|गए|चुका"),
      .reports = phrases("कहता है|कहा|लिखा है|कहते हैं|के अनुसार|बताया"),
  };
}

InstructionCues russian() {
  return {
      .always_instructs =
          phrases("я предпочитаю|предпочитаю|мне больше нравится|я бы предпочел|я бы предпочёл|"
                  "я бы предпочла|хочу чтобы|хотел бы чтобы|хотела бы чтобы|когда я прошу|"
                  "когда я спрашиваю|когда я попрошу|когда я спрошу|если я прошу|если я спрошу|"
                  "каждый раз когда я|мне больше не нужн|перестань|перестаньте|прекрати|прекратите|забудь|"
                  "забудьте|больше не нужно|больше не надо|больше не требуется|мне нравятся короткие|"
                  "мне нравятся краткие|люблю короткие ответы|люблю краткие ответы"),
      .standing = phrases("с этого момента|отныне|впредь|с этих пор|в дальнейшем|на будущее|в будущем|"
                          "начиная с этого момента|с сегодняшнего дня|в следующий раз|со следующего раза"),
      .revokes = phrases("хватит|вместо этого|избегай|избегайте|никаких|больше не|никогда больше не|никогда не|"
                         "не надо больше|не нужно больше"),
      .frequency = phrases("всегда|никогда|больше не|вместо|больше никогда|каждый раз|теперь"),
      .imperative_endings =
          phrases("~йте|~ите|~ьте|~вай|~чай|~зуй|~руй|~щай|~лай|~няй|~яй|пиши|говори|назови|называй|"
                  "объясни|объясняй|покажи|приведи|скажи|переведи|округли|ставь|будь|добавь|оставь|давай|"
                  "учитывай|~ись|~йся|~йтесь|~итесь|исключи|ищи|найди|предложи|предлагай|указывай|напомни|"
                  "помни|посчитай|сравни|~дай|~жай|~гай|~рай|~май|~кай|~ывай|~ивай"),
      .duties = phrases("ты должен|вы должны|ты должна|тебе следует|вам следует"),
      .politeness = phrases("пожалуйста|и|но|а|ещё|еще|тогда|кстати|нет|да|спасибо"),
      .consequences = phrases("так что|поэтому|следовательно"),
      .first_person = phrases("я|у меня|мне"),
      .others = phrases("я|вы|он|она|оно|мы|они|это|этот|эта|мой|моя|его|её|их|наш"),
      .reports = phrases("говорит|сказал|сказала|написал|написала|пишет|гласит|написано|согласно"),
  };
}

InstructionCues greek() {
  return {
      .imperatives_are_stems = true,
      .always_instructs = phrases("προτιμώ|θα προτιμούσα|όταν ρωτάω|όταν ρωτώ|όταν σε ρωτάω|όταν σε ρωτώ|όταν ζητάω|"
                                  "όταν ζητώ|όταν σου ζητάω|όταν σου ζητώ|κάθε φορά που σου|κάθε φορά που σε|"
                                  "κάθε φορά που ζητ|θέλω να μου|θέλω να απαντάς|θέλω να γράφεις|θέλω να χρησιμοποιείς|"
                                  "δεν θέλω να|δεν θέλω πια|δε θέλω πια|δεν χρειάζομαι πια|θα ήθελα να|όταν ρωτήσω|"
                                  "όταν ζητήσω|δεν χρειάζεται πια|δεν χρειάζεται πλέον|δε χρειάζεται πια|"
                                  "δε χρειάζεται πλέον|δεν χρειάζεται να * πια|μου αρέσουν οι * απαντήσεις|"
                                  "μου αρέσουν οι απαντήσεις"),
      .standing = phrases("από εδώ και πέρα|από εδώ και στο εξής|από τώρα και στο εξής|από τώρα|στο εξής|"
                          "από δω και πέρα|από δω και στο εξής|στο μέλλον|από σήμερα|εφεξής|την επόμενη φορά|"
                          "τις επόμενες φορές"),
      .begins = phrases("πάντα|πάντοτε|ποτέ"),
      .revokes = phrases("σταμάτα|σταματήστε|ξέχνα|ξέχασε|ξεχάστε|ξεχνάτε|αντί γι αυτό|αντ αυτού|μη|μην|αγνόησε|"
                         "αγνοήστε|απόφυγε|αποφύγετε|τέρμα"),
      .frequency = phrases("πάντα|πάντοτε|ποτέ|πια|πλέον|αντί|ξανά|κάθε φορά"),
      .imperatives = phrases("απάντ|απαντ|γράφ|γράψ|χρησιμοπο|δίν|δώσ|δείχν|δείξ|εξήγ|εξηγ|μετάφρ|μεταφρ|μίλ|μιλ|λέγε|"
                             "πες|πείτε|βάζε|βάλε|κάνε|κάντε|κράτ|κρατ|να|ρώτ|έλεγχ|ανάφ|ανέφ|συμπερ|στείλ|στέλν|"
                             "φώναζ|αποκάλ|πρόσθ|στρογγ|βρες|ψάξ|ψάχν|πρότειν|προτείν|υπολόγ|θύμι|σκέψ|έχε|λάβε|λάμβ|"
                             "βγάλ|άφη"),
      .duties = phrases("πρέπει να|παρακαλώ|σε παρακαλώ"),
      .politeness = phrases("παρακαλώ|σε παρακαλώ|και|αλλά|επίσης|εντάξει|λοιπόν|όχι|ναι|ευχαριστώ"),
      .consequences = phrases("οπότε|άρα|γι' αυτό|επομένως|συνεπώς"),
      .first_person = phrases("εγώ|είμαι|έχω"),
      .others = phrases("εγώ|αυτός|αυτή|αυτό|εμείς|αυτοί|ο|η|το|οι|τα|ένας|μια|μία|μου|είναι"),
      .reports = phrases("λέει|είπε|έγραψε|γράφει|σύμφωνα|λένε"),
  };
}

InstructionCues arabic() {
  return {
      .imperatives_are_stems = true,
      .always_instructs =
          phrases("أفضّل|أفضل أن|أنا أفضل|عندما أسأل|عندما أسألك|عندما أطلب|كلما سألت|كلما سألتك|كلما طلبت|"
                  "كلما أطلب|كلما أسأل|حين أسأل|حين أطلب|إذا طلبت|إذا سألتك|أريد منك|أريدك أن|لا أريدك أن|"
                  "لا أريد منك|لم أعد أريد|لم أعد بحاجة|توقف عن|توقفي عن|كف عن|انس|انسى|تجاهل|"
                  "لم تعد هناك حاجة|لم يعد هناك داع|لا داعي بعد الآن|لم يعد من الضروري|أريدك * أن|"
                  "أحب الإجابات|أحب الردود|أفضل الإجابات|أفضل الردود|لا حاجة بعد الآن"),
      .standing = phrases("من الآن فصاعدا|من الآن|ابتداء من الآن|بعد الآن|في المستقبل|من اليوم فصاعدا|منذ الآن|"
                          "مستقبلا|من اليوم|في المرات القادمة|في المرة القادمة|المرة القادمة|في المرات المقبلة|"
                          "في المرة المقبلة"),
      .begins = phrases("لا ت-|فلا ت-|ولا ت-|دائما|أبدا"),
      .revokes = phrases("إياك|تجنب|ليس بعد الآن"),
      .frequency = phrases("دائما|دوما|أبدا|بعد الآن|بدلا من|بدلا|مرة أخرى|كل مرة|مجددا"),
      .imperatives = phrases("أجب|اكتب|استخدم|استعمل|أعط|اعط|اشرح|ترجم|لخص|اذكر|أضف|ضع|قل|أرسل|اعرض|تحدث|تكلم|خاطب|"
                             "ناد|احرص|اجعل|حافظ|تأكد|رد|اعتمد|قدم|وضح|لا ت|ابحث|اقترح|احسب|ذكر|تذكر|راع|قارن"),
      .duties = phrases("يجب أن ت|عليك أن|من فضلك|رجاء|الرجاء|يرجى"),
      .politeness = phrases("من فضلك|رجاء|الرجاء|و|لكن|ولكن|أيضا|حسنا|إذن|نعم|لا شكرا|شكرا"),
      .consequences = phrases("لذا|لذلك|ف|ولذلك|وبالتالي"),
      .first_person = phrases("أنا|لدي|عندي"),
      .others = phrases("أنا|هو|هي|نحن|هم|هذا|هذه|كان"),
      .reports = phrases("يقول|قال|قالت|كتب|تقول|مكتوب|وفقا|حسب"),
  };
}

InstructionCues vietnamese() {
  return {
      .always_instructs = phrases("tôi thích * hơn|mình thích * hơn|tôi muốn bạn|mình muốn bạn|tôi không muốn bạn|"
                                  "mình không muốn bạn|khi tôi hỏi|khi mình hỏi|khi tôi yêu cầu|mỗi khi tôi hỏi|"
                                  "mỗi khi tôi|mỗi lần tôi hỏi|mỗi lần tôi|tôi ưu tiên|tôi không còn muốn|"
                                  "tôi không muốn * nữa|tôi không cần * nữa|hễ tôi|không cần * nữa|không phải * nữa|"
                                  "khỏi * nữa|tôi thích câu trả lời|mình thích câu trả lời|tôi thích trả lời"),
      .standing = phrases("từ giờ|từ bây giờ|từ nay|kể từ bây giờ|sau này|kể từ nay|trong tương lai|lần sau|"
                          "những lần sau|lần tới"),
      .begins = phrases("luôn|không bao giờ"),
      .revokes = phrases("đừng|ngừng|dừng|quên|thay vào đó|xin đừng|thôi đừng|hãy luôn|hãy ngừng|hãy dừng|"
                         "hãy quên|thôi không|bỏ qua|ngưng"),
      .frequency = phrases("luôn|luôn luôn|không bao giờ|đừng|thay vì|thay vào đó|nữa|không còn|mỗi lần|mọi lúc|"
                           "thay cho|lúc nào cũng|bất cứ khi nào|mỗi khi"),
      .imperatives = phrases("hãy|trả|viết|dùng|sử|gọi|cho|đưa|giải|dịch|tóm|nói|ghi|nhớ|giữ|thêm|hiển|liệt|trình|làm|"
                             "xưng|tìm|gợi|đề|nhắc|tính|so|tránh|lưu"),
      .duties = phrases("bạn phải|bạn nên|bạn cần|vui lòng|làm ơn|phải|cần phải"),
      .politeness = phrases("vui lòng|xin|làm ơn|và|nhưng|còn|vậy|thế|à|ừ|này|không|vâng"),
      .consequences = phrases("nên|vì vậy|vậy nên|cho nên|do đó|vì thế"),
      .first_person = phrases("tôi|mình|em"),
      .others = phrases("tôi|mình|anh|chị|cô|ông|bà|chúng|họ|nó|em|đó|đây"),
      .reports = phrases("nói rằng|viết rằng|ghi rằng|theo|bảo rằng|có ghi"),
  };
}

InstructionCues chinese() {
  return {
      .has_blanks = false,
      .always_instructs =
          phrases("我更喜欢|我希望你|我想让你|我要你|我不希望你|我不想让你|当我问|当我让|当我要求|每当我|"
                  "每次我问|每次我让|每次我要|如果我问|我宁愿|我偏好|我倾向于|我不再需要|我不再想|"
                  "我比较喜欢|我问你的时候|我问的时候|作废|我之前说的|我刚才说的|我喜欢简短|我喜欢简洁|"
                  "我喜欢短|不用再|不需要再|无需再|不必再"),
      .standing = phrases("从现在起|从现在开始|从今以后|今后|以后|从此|往后|从今天起|将来|下次|以后每次|下一次"),
      .begins = phrases("总是|始终|永远|一直|不再"),
      .revokes = phrases("务必|绝不|不要|别|请勿|停止|忘记|忘掉|忘了|改用|千万|改为|取消|一律"),
      .frequency = phrases("总是|始终|永远|一直|绝不|不要再|别再|不再|而不是|代替|改用|每次|都|的时候|时请|时要|"
                           "时一定"),
      .imperatives = phrases("用|使用|回答|回复|写|给|列|称呼|叫|翻译|总结|解释|保持|提供|说|把|在|找|避开|推荐|注明|"
                             "标注|提醒|算|查|加"),
      .duties = phrases("你必须|你应该|你要|你得|请|一定要|必须|务必"),
      .politeness = phrases("请|那么|那就|好的|好|另外|还有|对了|但是|但|麻烦|麻烦你"),
      .consequences = phrases("所以|因此|故"),
      .first_person = phrases("我"),
      .others = phrases("我|他|她|它|我们|他们|这|那|有人|大家"),
      .questions = phrases("吗|什么|为什么|怎么|哪|多少|几"),
      .reports = phrases("他说|她说|上面说|写着|说道|据说|表示|写道|文章说|规定"),
  };
}

InstructionCues thai() {
  return {
      .has_blanks = false,
      .always_instructs =
          phrases("ฉันชอบ * มากกว่า|ผมชอบ * มากกว่า|ต้องการให้คุณ|อยากให้คุณ|เมื่อฉันถาม|เวลาฉันถาม|เมื่อผมถาม|เวลาผมถาม|"
                  "ทุกครั้งที่ฉัน|ทุกครั้งที่ผม|ถ้าฉันขอ|เมื่อฉันขอ|เมื่อผมขอ|เวลาฉันขอ|เวลาผมขอ|ไม่ต้องการให้|ไม่อยากให้|"
                  "ฉันไม่ต้องการ * อีก|ผมไม่ต้องการ * อีก|ชอบคำตอบ|ไม่จำเป็นต้อง * อีก|ไม่ต้อง * อีก|ไม่ต้อง * แล้ว"),
      .standing = phrases("ตั้งแต่นี้|ต่อจากนี้|จากนี้ไป|นับจากนี้|ตั้งแต่ตอนนี้|ในอนาคต|ต่อไปนี้|คราวหน้า|ครั้งหน้า|ครั้งต่อไป"),
      .revokes = phrases("อย่า|ห้าม|หยุด|เลิก|ลืม|ไม่ต้อง|งด"),
      .frequency = phrases("เสมอ|ทุกครั้ง|ตลอด|อีกต่อไป|อีกแล้ว|แทน|เด็ดขาด"),
      .imperatives = phrases("ใช้|ตอบ|เขียน|เรียก|ให้|แสดง|อธิบาย|แปล|สรุป|พูด|ใส่|ระบุ|ส่ง|จำ|ช่วย|จง|ทำ|เปลี่ยน|ต้อง|หา|แนะนำ|"
                             "เตือน|คำนวณ|บอก|เพิ่ม"),
      .duties = phrases("คุณต้อง|คุณควร"),
      .politeness = phrases("โปรด|กรุณา|ได้โปรด|ช่วย|และ|แต่|แล้ว|ขอ"),
      .consequences = phrases("เพราะฉะนั้น|ดังนั้น|เลย|ฉะนั้น|จึง"),
      .first_person = phrases("ฉัน|ผม|ดิฉัน"),
      .others = phrases("ฉัน|ผม|เขา|เธอ|มัน|พวกเขา|เรา"),
      .questions = phrases("ทำไม|ไหม|หรือเปล่า|หรือยัง|กี่|ที่ไหน|เมื่อไหร่|อย่างไร|ยังไง|หรือไม่"),
      .reports = phrases("เขาบอก|เธอบอก|กล่าวว่า|เขียนว่า|ระบุว่า|บอกว่า"),
  };
}

InstructionCues french() {
  return {
      .always_instructs = phrases("je préfère|je préférerais|je veux que|je voudrais que|j'aimerais que|"
                                  "quand je demande|chaque fois que je|tu ne dois pas|vous ne devez pas|il ne faut pas|"
                                  "souviens-toi que|souvenez-vous que|rappelle-toi que|rappelez-vous que|"
                                  "n'oublie pas que|n'oubliez pas que|appelle-moi|appelez-moi|mon budget est"),
      .standing = phrases("à partir de maintenant|à partir d'aujourd'hui|dorénavant|désormais|à l'avenir|"
                          "la prochaine fois|les prochaines fois"),
      .begins = phrases("toujours|jamais|ne"),
      .revokes = phrases("arrête de|arrêtez de|cesse de|cessez de|oublie|oubliez|évite|évitez|ignore|ignorez"),
      .frequency = phrases("toujours|jamais|chaque fois|plus jamais|à la place"),
      .imperatives = phrases("réponds|répondez|écris|écrivez|utilise|utilisez|garde|gardez|fais|faites|mets|mettez|"
                             "donne|donnez|montre|montrez|explique|expliquez|traduis|traduisez|parle|parlez|"
                             "indique|indiquez|mentionne|mentionnez|commence|commencez|vérifie|vérifiez"),
      .duties = phrases("tu dois|vous devez|merci de|s'il te plaît|s'il vous plaît"),
      .politeness = phrases("s'il te plaît|s'il vous plaît|et|mais|alors|ok|bon|merci|aussi"),
      .first_person = phrases("je|j'ai"),
      .others = phrases("je|il|elle|on|nous|ils|elles|le|la|les|un|une|mon|ma|mes|son|sa|ses|ce|cette|ces|c'est"),
      .reports = phrases("dit|disait|écrit que|selon|d'après"),
  };
}

InstructionCues portuguese() {
  return {
      .always_instructs = phrases("prefiro|eu preferia|quero que|gostaria que|quando eu pedir|quando eu perguntar|"
                                  "sempre que eu|você não deve|não deves|lembre-se de que|lembra-te de que|"
                                  "lembre que|não se esqueça de que|me chame|chama-me|chame-me|meu orçamento é"),
      .standing = phrases("a partir de agora|de agora em diante|daqui em diante|doravante|da próxima vez|no futuro"),
      .begins = phrases("sempre|nunca|jamais"),
      .revokes = phrases("pare de|para de|deixe de|esqueça|esquece|evite|evita|ignore|ignora"),
      .frequency = phrases("sempre|nunca|jamais|nunca mais|cada vez"),
      .imperatives = phrases("responda|responde|escreva|escreve|use|usa|mantenha|mantém|faça|faz|coloque|coloca|dê|"
                             "mostre|mostra|explique|explica|traduza|fale|fala|inclua|inclui|não"),
      .duties = phrases("você deve|deves|por favor"),
      .politeness = phrases("por favor|e|mas|então|ok|bom|obrigado|obrigada|também"),
      .others = phrases("eu|ele|ela|eles|elas|nós|o|a|os|as|um|uma|meu|minha|seu|sua|este|esta|esse|essa|isso"),
      .reports = phrases("diz|disse|escreveu|segundo"),
  };
}

InstructionCues italian() {
  return {
      .always_instructs = phrases("preferisco|preferirei|voglio che|vorrei che|quando chiedo|quando ti chiedo|"
                                  "ogni volta che chiedo|non devi|non deve mai|ricorda che|ricordati che|"
                                  "tieni presente che|non dimenticare che|chiamami|il mio budget è"),
      .standing = phrases("d'ora in poi|da ora in poi|da adesso in poi|in futuro|la prossima volta|da oggi in poi"),
      .begins = phrases("sempre|mai"),
      .revokes = phrases("smetti di|smettila di|smetta di|dimentica|evita|eviti|ignora|ignori"),
      .frequency = phrases("sempre|mai|mai più|ogni volta|invece"),
      .imperatives = phrases("rispondi|risponda|scrivi|scriva|usa|usi|mantieni|fai|fa|metti|dai|mostra|spiega|traduci|"
                             "parla|indica|includi|controlla|non"),
      .duties = phrases("devi|deve|per favore|per piacere"),
      .politeness = phrases("per favore|per piacere|e|ma|allora|ok|grazie|anche"),
      .others = phrases("io|lui|lei|noi|loro|il|lo|la|i|gli|le|un|una|mio|mia|suo|sua|questo|questa|quello|quella"),
      .reports = phrases("dice|disse|ha detto|ha scritto|secondo"),
  };
}

InstructionCues dutch() {
  return {
      .always_instructs = phrases("ik heb liever|ik wil dat je|ik wil dat u|ik wil niet dat|als ik vraag|"
                                  "wanneer ik vraag|elke keer als ik|je mag niet|je mag nooit|u mag niet|onthoud dat|"
                                  "vergeet niet dat|noem me|noem mij|mijn budget is"),
      .standing = phrases("vanaf nu|van nu af aan|voortaan|in het vervolg|de volgende keer|in de toekomst"),
      .begins = phrases("altijd|nooit"),
      .revokes = phrases("stop met|vergeet|vermijd|negeer|hou op met|houd op met"),
      .frequency = phrases("altijd|nooit|nooit meer|telkens|elke keer|in plaats daarvan"),
      .imperatives = phrases("antwoord|schrijf|gebruik|houd|hou|maak|zet|geef|toon|leg|vertaal|vat|spreek|noem|begin|"
                             "eindig|controleer|vermeld|raak|verander|verwijder"),
      .duties = phrases("je moet|u moet|alsjeblieft|alstublieft"),
      .politeness = phrases("alsjeblieft|alstublieft|en|maar|dus|ok|oké|bedankt|ook"),
      .others = phrases("ik|hij|zij|ze|het|wij|we|de|een|mijn|zijn|haar|dit|dat|deze|die"),
      .reports = phrases("zegt|zei|schreef|volgens"),
  };
}

InstructionCues polish() {
  return {
      .always_instructs = phrases("wolę|wolałbym|wolałabym|chcę żebyś|chciałbym żebyś|chciałabym żebyś|nie chcę żebyś|"
                                  "kiedy pytam|gdy pytam|nie wolno ci|nie możesz|pamiętaj że|nie zapomnij że|"
                                  "mów mi|mój budżet to|mój budżet wynosi"),
      .standing = phrases("od teraz|od tej pory|od tej chwili|w przyszłości|następnym razem|od dziś"),
      .begins = phrases("zawsze|nigdy"),
      .revokes = phrases("przestań|zapomnij|unikaj|ignoruj|pomijaj"),
      .frequency = phrases("zawsze|nigdy|za każdym razem|nigdy więcej|zamiast tego"),
      .imperatives = phrases("odpowiadaj|pisz|używaj|podawaj|pokazuj|wyjaśniaj|tłumacz|mów|dodawaj|sprawdzaj|nie|"
                             "zaczynaj|kończ|trzymaj"),
      .duties = phrases("musisz|powinieneś|powinnaś|proszę"),
      .politeness = phrases("proszę|i|ale|więc|ok|dobrze|dziękuję|też"),
      .others = phrases("ja|on|ona|oni|one|my|to|ten|ta|mój|moja|jego|jej"),
      .reports = phrases("mówi|powiedział|powiedziała|napisał|według"),
  };
}

InstructionCues japanese() {
  return {
      .has_blanks = false,
      .imperative_is_last = true,
      .always_instructs =
          phrases("覚えておいて|忘れないで|しないでください|してはいけません|してはいけない|してはならない|"
                  "と呼んで|予算は|方がいいです"),
      .standing = phrases("これから|今後|以後|次回"),
      .frequency = phrases("常に|いつも|必ず|決して|絶対に|毎回|二度と"),
      .imperative_endings = phrases("ください|下さい|なさい|ないで|すること|しないこと"),
      .others = phrases("私は|僕は|彼は|彼女は"),
      .statement_endings = phrases("です|ます|ました|でした"),
      .questions = phrases("ですか|ますか|でしょうか"),
      .reports = phrases("と言った|と言いました|と書いて|によると"),
  };
}

InstructionCues korean() {
  return {
      .imperative_is_last = true,
      .always_instructs =
          phrases("기억해|기억해줘|기억해 줘|기억하세요|잊지 마|잊지 마세요|~면 안 돼|~면 안 됩니다|"
                  "~지 마|~지 마세요|~지 마십시오|불러줘|불러 줘|불러 주세요|예산은|내 예산은|제 예산은"),
      .standing = phrases("앞으로|지금부터|이제부터|다음부터"),
      .frequency = phrases("항상|언제나|절대|절대로|반드시|결코|매번"),
      .imperative_endings = phrases("~세요|~십시오|~해줘|~줘|~해라|~마라|~할 것"),
      .others = phrases("나는|저는|그는|그녀는"),
      .statement_endings = phrases("~습니다|~었다|~았다"),
      .reports = phrases("말했다|말했습니다|따르면|라고 썼다"),
  };
}

}  // namespace

const std::vector<InstructionCues>& instruction_cues() {
  static const std::vector<InstructionCues> cues{
      english(), german(), spanish(), romanian(),   turkish(), hindi(), russian(), greek(),    arabic(), vietnamese(),
      chinese(), thai(),   french(),  portuguese(), italian(), dutch(), polish(),  japanese(), korean()};
  return cues;
}

}  // namespace ctxmgr::engine
